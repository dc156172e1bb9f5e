import { expect, it } from "vitest";
import { fitCallId } from "./fit-call-id.js";

it.each(["toolu_01A", "call-1", "x".repeat(64)])("keeps %s", (id) => {
  expect(fitCallId(id, 64)).toBe(id);
});

it.each(["functions.get:0", "", "é", "x".repeat(65), "a b"])("makes %j legal, always the same way", (id) => {
  expect(fitCallId(id, 64)).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  expect(fitCallId(id, 64)).toBe(fitCallId(id, 64));
});

it("keeps apart what it has to change", () => {
  expect(fitCallId("a.b")).not.toBe(fitCallId("a:b"));
  expect(fitCallId(`${"x".repeat(70)}1`, 64)).not.toBe(fitCallId(`${"x".repeat(70)}2`, 64));
});
