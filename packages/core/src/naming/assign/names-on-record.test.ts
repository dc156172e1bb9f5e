import { expect, it } from "vitest";
import { toolKeyOf } from "../../identity/tool-key.js";
import type { Lock, LockedName } from "../lock/lock.js";
import { namesOnRecord } from "./names-on-record.js";

const [a, b] = ["a", "b"].map((raw) => toolKeyOf({ server: "s", raw })) as [
  ReturnType<typeof toolKeyOf>,
  ReturnType<typeof toolKeyOf>,
];

it("knows whose every name of a lock is, whichever profile gave it (LIB-4)", () => {
  const names = (...entries: readonly (readonly [string, LockedName])[]) =>
    ({ style: "flat", names: new Map(entries) }) as const;
  const lock: Lock = {
    profiles: new Map([
      ["openai", names(["one", { key: a }], ["both", { key: a }], ["gone", { key: b, retired: "removed" }])],
      ["cursor", names(["one", { key: a }], ["both", { key: b }], ["other", { key: b }])],
      ["mcp", names(["both", { key: a }])],
    ]),
    tools: new Map(),
  };
  const record = namesOnRecord(lock);
  expect(["one", "both", "gone", "other", "new"].map(record.has)).toEqual([true, true, true, true, false]);
  expect(["one", "both", "gone", "other", "new"].map(record.ownerOf)).toEqual([
    a,
    undefined,
    b,
    b,
    undefined,
  ]);
  expect(["one", "both", "gone", "other", "new"].map((name) => record.allows(name, a))).toEqual([
    true,
    false,
    false,
    false,
    true,
  ]);
  expect(["one", "both", "gone", "other", "new"].map((name) => record.allows(name, b))).toEqual([
    false,
    false,
    true,
    true,
    true,
  ]);
  expect(namesOnRecord(lock)).toBe(record);
});
