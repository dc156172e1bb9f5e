import { describe, expect, it } from "vitest";
import { answerCalls } from "./answer-calls.js";
import type { HistoryItem } from "./history.js";

/** `c1`: a call; `r1`: its result; `u`, `a`, `s`: a text of user, assistant, system. */
function history(text: string): readonly HistoryItem[] {
  return text.split(" ").map((word): HistoryItem => {
    const tool = { key: undefined, written: "t" };
    if (word.startsWith("c")) return { kind: "call", callId: word.slice(1), tool, arguments: {} };
    if (word.startsWith("r"))
      return { kind: "result", callId: word.slice(1), tool, text: word, isError: false };
    const role = word.startsWith("u") ? "user" : word.startsWith("a") ? "assistant" : "system";
    return { kind: "text", role, text: word };
  });
}

const written = (items: readonly HistoryItem[]): string =>
  items
    .map((item) =>
      item.kind === "call"
        ? `c${item.callId}`
        : item.kind === "opaque" || item.kind === "references"
          ? "?"
          : item.text,
    )
    .join(" ");

describe("answerCalls", () => {
  it.each([
    ["u c1 r1 a", "u c1 r1 a"],
    ["c1 c2 r2 r1 a", "c1 c2 r2 r1 a"],
    ["c1 u r1", "c1 r1 u"],
    ["c1 c2 r2 a r1 u", "c1 c2 r2 r1 a u"],
    ["a c1 a c2 r1 r2", "a c1 a c2 r1 r2"],
    ["c1 s u r1 c1 r1", "c1 r1 s u c1 r1"],
    ["c1 u a", "c1 u a"],
    ["r9 u", "r9 u"],
    ["u", "u"],
  ])("makes of %s: %s (LIB-1)", (given, expected) => {
    expect(written(answerCalls(history(given)))).toBe(expected);
  });
});
