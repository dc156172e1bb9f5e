import { expect, it } from "vitest";
import { gatherTurns } from "./gather-turns.js";

const isResult = (block: string) => block.startsWith("result");

it("makes one turn of what one role says in a row, results first", () => {
  const parts = [
    { role: "system", block: "be kind" },
    { role: "user", block: "hello" },
    { role: "assistant", block: "call 1" },
    { role: "assistant", block: "call 2" },
    { role: "user", block: "well?" },
    { role: "user", block: "result 1" },
    { role: "user", block: "result 2" },
    { role: "system", block: "be brief" },
  ] as const;
  expect(gatherTurns<string>(parts, isResult)).toEqual({
    system: ["be kind"],
    turns: [
      { role: "user", blocks: ["hello"] },
      { role: "assistant", blocks: ["call 1", "call 2"] },
      { role: "user", blocks: ["result 1", "result 2", "well?"] },
      { role: "system", blocks: ["be brief"] },
    ],
  });
});

it("makes nothing of nothing", () => {
  expect(gatherTurns([], isResult)).toEqual({ system: [], turns: [] });
});
