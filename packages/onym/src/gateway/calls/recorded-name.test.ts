import { expect, it } from "vitest";
import { recordedName } from "./call-audit.js";

it.each([511, 512, 513])(
  "records a name of %i characters whole, or by its start, length and digest",
  (length) => {
    const name = "x".repeat(length);
    const cut = `${"x".repeat(200)}… (513 characters, sha256 `;
    expect(recordedName(name).startsWith(length <= 512 ? name : cut)).toBe(true);
    expect(recordedName(name).length).toBeLessThanOrEqual(512);
  },
);

it("tells long names apart that start alike", () => {
  expect(recordedName(`${"x".repeat(9_000)}a`)).not.toBe(recordedName(`${"x".repeat(9_000)}b`));
});

it("records what is no text as JSON", () => {
  expect(recordedName({ server: "a", name: "b" })).toBe('{"server":"a","name":"b"}');
  expect(recordedName(undefined)).toBe("");
});
