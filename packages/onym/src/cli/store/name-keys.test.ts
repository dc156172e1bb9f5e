import { buildSnapshot, EMPTY_LOCK, type Lock, type ToolSource } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { expect, it } from "vitest";
import { presentKeyIn } from "./name-keys.js";

const keyOf = (server: string) => toolKeyOf({ server, raw: "x" });

it("finds who a tool is by the config where an id was given up twice (LOCK-5)", () => {
  const ids: readonly ToolSource[] = [
    { server: "crm", tools: ["x"] },
    { server: "hub", formerly: ["crm"], tools: ["x"] },
    { server: "crm", tools: ["x"] },
    { server: "lab", formerly: ["crm"], tools: ["x"] },
  ];
  let lock: Lock = EMPTY_LOCK;
  for (const source of ids) lock = buildSnapshot([source], { lock }).nextLock(["openai"]);
  const presentOf = (...servers: readonly string[]) =>
    presentKeyIn(lock, { servers: servers.map((server) => ({ source: { server } })) as never })(keyOf("crm"));
  expect(presentOf("lab", "mail")).toBe(keyOf("lab"));
  expect(presentOf("hub")).toBe(keyOf("hub"));
  expect(presentOf("crm")).toBe(keyOf("crm"));
  expect(presentOf("mail")).toBe(keyOf("hub"));
});
