// The interface to a gateway's toolboxes.

import type { Downstream, DownstreamId } from "../../downstream/downstream.js";

export interface Toolboxes {
  /**
   * Connects the servers of a toolbox; once, however often it is called. To the holder there are only servers that `reaches`
   * accepts: of them at least one has to come up, and only they are named (POL-9).
   */
  readonly open: (
    toolbox: string,
    holder: string,
    reaches?: (id: DownstreamId) => boolean,
  ) => Promise<ToolboxOpening>;
  /** Returns whether it was open for this holder. */
  readonly close: (toolbox: string, holder: string) => boolean;
  /** Keeps the toolbox open for a call until the returned function is called. */
  readonly use: (toolbox: string) => () => void;
  /** Releases everything of a holder. */
  readonly leave: (holder: string) => void;
  /** It is held open and connected; always true in the mode that opens every toolbox. */
  readonly isOpen: (toolbox: string) => boolean;
  /** The toolboxes with a holder, and those whose servers are kept for the next one. */
  readonly held: () => ReadonlySet<string>;
  /** Call after the settings changed: removed toolboxes lose their holders. */
  readonly adopt: () => void;
  readonly closeAll: () => void;
}

export type ToolboxOpening =
  | { readonly outcome: "opened"; readonly failed: readonly Downstream[] }
  | { readonly outcome: "failed"; readonly failed: readonly Downstream[] }
  | { readonly outcome: "unknown" };
