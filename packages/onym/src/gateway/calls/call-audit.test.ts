import { createHash } from "node:crypto";
import { buildSnapshot, type Tool } from "@onym/core";
import { expect, it } from "vitest";
import { OnymError } from "../../model/onym-error.js";
import { buildCaller, buildRequestContext } from "../testing/test-callers.js";
import { createFailureLog, decidedRecord, recordedName } from "./call-audit.js";
import type { GuardedCall } from "./guard.js";

const tool = buildSnapshot([{ server: "fs", tools: ["a"] }]).catalog.tools[0] as Tool;
const target = { kind: "tool", identity: tool } as const;
const args = { region: "us" };
/** As the client wrote it: not what JSON.stringify makes of it. */
const TEXT = '{"region":"eu", "region":"us"}';

it.each<[string, Partial<GuardedCall>, string]>([
  ["the text that is forwarded", { argumentsText: { of: args, text: TEXT } }, TEXT],
  ["the same in bytes", { argumentsText: { of: args, text: Buffer.from(TEXT) } }, TEXT],
  ["the arguments, where no text is forwarded", {}, '{"region":"us"}'],
  [
    "the arguments that took the place of those in the text",
    { argumentsText: { of: { ...args }, text: TEXT } },
    '{"region":"us"}',
  ],
  ["an empty object, where there are none", { params: {} }, "{}"],
])("the digest on record is that of %s (POL-4)", (_, more, digested) => {
  const call: GuardedCall = {
    method: "tools/call",
    target,
    targetNow: () => target,
    launch: "",
    epoch: 0,
    caller: buildCaller(),
    requestContext: buildRequestContext(),
    sent: "fs_a",
    params: { name: "fs_a", arguments: args },
    ...more,
  };
  const { argumentsDigest } = decidedRecord(
    call,
    { kind: "allow", rule: "default" },
    { id: "call-1", at: 0, keepArguments: false },
  );
  expect(argumentsDigest).toBe(createHash("sha256").update(digested).digest("hex"));
});

it.each([
  ["one below", 511],
  ["at", 512],
  ["one above", 513],
])(
  "records a name whole, or by its start, length and digest: %s the limit (limits: MAX_RECORDED_LENGTH of call-audit)",
  (_, length) => {
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

it("logs once that a store fails and once that it works, with a count, and no way to a known error", () => {
  const logged: string[] = [];
  let time = 0;
  const failureLog = createFailureLog(
    (severity, text, facts) => logged.push(`${severity} ${text} ${JSON.stringify(facts)}`),
    () => time,
  );
  const error = new OnymError("store-unavailable", "The store onym.db cannot be used: full.", "Make room.");
  failureLog.worked();
  for (let calls = 0; calls < 1000; calls += 1)
    failureLog.failed("calls cannot be recorded", error, { toolKey: "k" });
  expect(logged).toEqual([
    'error calls cannot be recorded: The store onym.db cannot be used: full. Make room. {"toolKey":"k"}',
  ]);
  time = 60_000;
  failureLog.failed("calls cannot be recorded", error);
  expect(logged.slice(1)).toEqual([expect.stringContaining('{"failures":1001}')]);
  time = 61_000;
  failureLog.worked();
  failureLog.worked();
  expect(logged.slice(2)).toEqual(['warn the store works again {"failures":1001,"seconds":61}']);
  failureLog.failed("calls cannot be recorded", new TypeError("a bug"));
  expect(logged.at(-1)).toContain("call-audit.test.ts");
});
