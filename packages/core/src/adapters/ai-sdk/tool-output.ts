// Tool results: the AI SDK has several formats for them, other providers use text and a flag.

import { ownField } from "../../identity/name-parts.js";
import { listOf, textOfValue, valueOfText } from "../json-text.js";
import type { AiSdkOutput, JsonValue } from "./shapes.js";

export interface ReadOutput {
  readonly text: string;
  readonly isError: boolean;
}

export function readOutput(output: unknown): ReadOutput {
  const type = ownField(output, "type");
  const value = ownField(output, "value");
  if (type === "error-text" || type === "error-json") return { text: textOfValue(value), isError: true };
  if (type === "execution-denied") {
    const reason = ownField(output, "reason");
    return { text: typeof reason === "string" ? reason : "The call was denied.", isError: true };
  }
  if (type !== "content") return { text: textOfValue(value ?? ""), isError: false };
  const texts = listOf(value).flatMap((part) => {
    const text = ownField(part, "text");
    return typeof text === "string" ? [text] : [];
  });
  return { text: texts.join("\n"), isError: false };
}

/**
 * Writes `json` if the text is exactly JSON: the SDK's own tools return objects, which its messages hold as `json`.
 */
export function writeOutput({ text, isError }: ReadOutput): AiSdkOutput {
  const value = valueOfText(text) as JsonValue | undefined;
  if (value === undefined) return { type: isError ? "error-text" : "text", value: text };
  return { type: isError ? "error-json" : "json", value };
}
