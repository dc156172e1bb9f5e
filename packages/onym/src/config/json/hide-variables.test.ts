// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { quoteText } from "@onym/core";
import { describe, expect, it } from "vitest";
import { hideVariables } from "./hide-variables.js";

const LONG = `secret-${"0123456789".repeat(20)}-end`;
const variables = new Map([
  ["TOKEN", "sk-secret"],
  ["LONG", LONG],
  ["QUOTED", 'se"cr\net'],
  ["SHORT", "abc"],
]);

function hidden(message: string): string {
  const [problem] = hideVariables([{ message, fix: `Not ${message}` }], variables);
  expect(problem?.fix).toBe(`Not ${problem?.message}`);
  return problem?.message ?? "";
}

describe("a message about a config that nobody trusted", () => {
  it.each([
    [`Is ${quoteText("sk-secret")}.`, 'Is "${TOKEN}".'],
    [`Is ${quoteText("x-sk-secret-sk-secret")}.`, 'Is "x-${TOKEN}-${TOKEN}".'],
    [`Is ${quoteText(LONG, 40)}.`, 'Is "${LONG}…${LONG}".'],
    [`Is ${quoteText(`ab ${LONG} cd`, 60)}.`, 'Is "ab ${LONG}…${LONG} cd".'],
    [`Is ${quoteText('se"cr\net')}.`, 'Is "${QUOTED}".'],
    ["Is abc.", "Is abc."],
    ["Is …", "Is …"],
  ])("%j has names for values", (message, expected) => {
    expect(hidden(message)).toBe(expected);
  });
});
