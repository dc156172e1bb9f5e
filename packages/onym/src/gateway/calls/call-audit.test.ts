import { createHash } from "node:crypto";
import { buildSnapshot, type Tool } from "@onym/core";
import { expect, it } from "vitest";
import { buildCaller, buildRequestContext } from "../testing/test-callers.js";
import { decidedRecord } from "./call-audit.js";
import type { GuardedCall } from "./guard.js";

const tool = buildSnapshot([{ server: "fs", tools: ["a"] }]).catalog.tools[0] as Tool;
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
    tool,
    lineage: { key: tool.key, former: [] },
    toolNow: () => tool,
    launch: "",
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
