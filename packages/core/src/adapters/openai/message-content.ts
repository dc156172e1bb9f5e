// The content of a message: the text that every provider understands, and the parts that only OpenAI does.

import { ownField } from "../../identity/name-parts.js";
import { listOf } from "../json-text.js";

/** Kinds of parts that are text, in Chat Completions, in Responses and in the Agents SDK. */
const TEXT_KINDS: readonly unknown[] = ["text", "input_text", "output_text"];

export interface ReadContent {
  readonly text: string;
  /** Images, files, audio: only OpenAI understands them in this form. */
  readonly others: readonly unknown[];
}

/** Content may be text, one part, or a list of parts. */
export function readContent(content: unknown): ReadContent {
  if (typeof content === "string") return { text: content, others: [] };
  const parts = Array.isArray(content) ? listOf(content) : content ? [content] : [];
  const texts: string[] = [];
  const others: unknown[] = [];
  for (const part of parts) {
    const text = textOfPart(part);
    if (text === undefined) others.push(part);
    else texts.push(text);
  }
  return { text: texts.join("\n"), others };
}

function textOfPart(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  const kind = ownField(part, "type");
  const text = ownField(part, kind === "refusal" ? "refusal" : "text");
  return typeof text === "string" && (kind === "refusal" || TEXT_KINDS.includes(kind)) ? text : undefined;
}

/** Whether a message that was written in its provider's own form already contains all these parts. */
export function holdsParts(message: unknown, parts: readonly unknown[]): boolean {
  const content = ownField(message, "content") ?? ownField(message, "output");
  const held = new Set((Array.isArray(content) ? content : [content]).map((part) => JSON.stringify(part)));
  return parts.length > 0 && parts.every((part) => held.has(JSON.stringify(part)));
}

/** `developer` is the newer models' name for `system`. */
export function roleOf(message: unknown): "system" | "user" | "assistant" | undefined {
  const role = ownField(message, "role");
  if (role === "developer" || role === "system") return "system";
  return role === "user" || role === "assistant" ? role : undefined;
}
