// A conversation in no provider's words, so that it can go on under other names or with another provider.

import type { ToolKey } from "../identity/tool-key.js";
import type { JsonObject } from "./call-outcome.js";

/** A tool as some message named it. */
export interface ToolReference {
  /** Whose name it is; `undefined` when it is nobody's in the present catalog. */
  readonly key: ToolKey | undefined;
  readonly written: string;
}

/**
 * How its own provider wrote an item, where that says more than the item does: citations, signatures, caching. Whoever
 * writes for that provider starts from it and puts the present name in; all others leave it alone.
 */
export interface ProviderForm {
  readonly provider: string;
  readonly value: unknown;
}

export type HistoryItem =
  | {
      readonly kind: "text";
      readonly role: "system" | "user" | "assistant";
      readonly text: string;
      readonly form?: ProviderForm;
    }
  | {
      readonly kind: "call";
      readonly callId: string;
      readonly tool: ToolReference;
      readonly arguments: JsonObject;
      readonly form?: ProviderForm;
    }
  | {
      readonly kind: "result";
      readonly callId: string;
      readonly tool: ToolReference | undefined;
      readonly text: string;
      readonly isError: boolean;
      readonly form?: ProviderForm;
    }
  /** Tools that a search brought to the model's attention. */
  | {
      readonly kind: "references";
      readonly callId: string | undefined;
      readonly tools: readonly ToolReference[];
      readonly form?: ProviderForm;
    }
  /** What only its own provider understands: thinking, images, signatures. */
  | { readonly kind: "opaque"; readonly provider: string; readonly value: unknown };

export interface WrittenHistory<Message> {
  readonly messages: Message[];
  /** Items that this provider has no form for; the rest goes on without them. */
  readonly dropped: readonly HistoryItem[];
}

/** What every adapter does with a conversation. */
export interface HistoryCodec<Message> {
  readonly readHistory: (messages: readonly unknown[]) => readonly HistoryItem[];
  readonly writeHistory: (items: readonly HistoryItem[]) => WrittenHistory<Message>;
}

/**
 * Carries a conversation from one adapter to another, or to the same one under new names. What the writer returns
 * beside messages and what it dropped (a system text of its own) comes along.
 *
 * @example
 * const codec = { readHistory: () => [], writeHistory: () => ({ messages: [], dropped: [] }) };
 * translateHistory([], { from: codec, to: codec }).messages;
 */
export function translateHistory<Written extends WrittenHistory<unknown>>(
  messages: readonly unknown[],
  between: {
    readonly from: Pick<HistoryCodec<unknown>, "readHistory">;
    readonly to: { readonly writeHistory: (items: readonly HistoryItem[]) => Written };
  },
): Written {
  return between.to.writeHistory(between.from.readHistory(messages));
}
