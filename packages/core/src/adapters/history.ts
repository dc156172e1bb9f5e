// A provider-neutral conversation, which can continue under other names or with another provider.

import type { ToolKey } from "../identity/tool-key.js";
import type { JsonObject } from "./call-outcome.js";

/** A tool as a message named it. */
export interface ToolReference {
  /** The tool that has this name; `undefined` if none in the present catalog does. */
  readonly key: ToolKey | undefined;
  readonly written: string;
}

/**
 * An item as its own provider wrote it, if that contains more than the item: citations, signatures, caching. The
 * writer for that provider starts from it and inserts the present name; all others ignore it.
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
  /** Tools that a search made visible to the model. */
  | {
      readonly kind: "references";
      readonly callId: string | undefined;
      readonly tools: readonly ToolReference[];
      readonly form?: ProviderForm;
    }
  /** Content that only its own provider understands: thinking, images, signatures. */
  | { readonly kind: "opaque"; readonly provider: string; readonly value: unknown };

export interface WrittenHistory<Message> {
  readonly messages: Message[];
  /** Items that this provider cannot express. The conversation continues without them. */
  readonly dropped: readonly HistoryItem[];
}

/** How every adapter reads and writes conversations. */
export interface HistoryCodec<Message> {
  readonly readHistory: (messages: readonly unknown[]) => readonly HistoryItem[];
  readonly writeHistory: (items: readonly HistoryItem[]) => WrittenHistory<Message>;
}

/**
 * Converts a conversation from one adapter to another, or to the same one with new names. Includes everything else
 * that the writer returns besides messages and dropped items (such as a separate system text).
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
