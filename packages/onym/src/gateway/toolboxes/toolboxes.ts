// What a gateway does with its toolboxes.

import type { Downstream } from "../../downstream/downstream.js";

export interface Toolboxes {
  /** Connects the downstreams of a toolbox, once however often it is asked for. */
  readonly open: (toolbox: string, holder: string) => Promise<ToolboxOpening>;
  /** Whether it was open for this holder. */
  readonly close: (toolbox: string, holder: string) => boolean;
  /** A call runs in it until what is returned is called: nobody closes it under the call. */
  readonly use: (toolbox: string) => () => void;
  /** A holder is gone. */
  readonly leave: (holder: string) => void;
  /** Somebody holds it open, and it is connected; always where every toolbox is. */
  readonly isOpen: (toolbox: string) => boolean;
  /** Those that somebody holds. */
  readonly held: () => ReadonlySet<string>;
  /** The settings changed: toolboxes that are gone are nobody's. */
  readonly adopt: () => void;
  readonly closeAll: () => void;
}

export type ToolboxOpening =
  | { readonly outcome: "opened"; readonly failed: readonly Downstream[] }
  | { readonly outcome: "failed"; readonly failed: readonly Downstream[] }
  | { readonly outcome: "unknown" };
