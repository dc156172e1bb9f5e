// Toolboxes under policy: who may not see one neither opens nor closes it, and nobody closes it under a call (POL-9).

import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern } from "./harness-raw.js";

const CALLERS = ["ann", "bob", "eve"] as const;
let stage: Stage;
let onym: RunningOnym;

beforeAll(async () => {
  stage = await createStage();
  const behaviours = [{ tool: "slow", hold: true }];
  const fs = stage.entry({ label: "boxed", tools: ["slow", "read"], behaviours });
  const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  onym = await stage.start({
    config: {
      toolboxes: {
        dev: { description: "For developers", mcpServers: { fs } },
        pub: { description: "For all", mcpServers: { notes: { tools: ["note"] } } },
      },
      mode: "proxy",
      auth: { tokens: CALLERS.map((name) => ({ name, hash: hash(`secret-of-${name}`) })) },
      policy: { rules: [{ effect: "deny", toolbox: "dev", caller: "eve" }] },
    },
  });
});
afterAll(() => stage.close());

const call = async (who: (typeof CALLERS)[number], name: string, args: object = {}) => {
  const { result, text } = await askModern({
    url: onym.url,
    method: "tools/call",
    params: { name, arguments: args },
    headers: { authorization: `Bearer secret-of-${who}` },
  });
  return { isError: result?.["isError"] === true, text };
};
const slow = (who: "ann" | "bob") => call(who, "use_tool", { name: "dev__fs__slow" });

it("is opened by nobody who may not see it, and looks as one that is not there (POL-9)", async () => {
  expect((await call("eve", "list_toolboxes")).text).not.toContain("dev");
  for (const [name, args] of [
    ["open_toolbox", { toolbox: "BOX" }],
    ["close_toolbox", { toolbox: "BOX" }],
    ["use_tool", { toolbox: "BOX", server: "fs", name: "read" }],
    ["find_tools", { query: "read", toolbox: "BOX" }],
  ] as const) {
    const answer = await call("eve", name, { ...args, toolbox: "dev" });
    const absent = await call("eve", name, { ...args, toolbox: "nope" });
    expect(answer.isError, name).toBe(true);
    expect(answer.text.replaceAll("dev", "nope"), name).toBe(absent.text);
  }
  for (const name of ["dev__fs__read", "dev:fs@1/read@1", "fs@1/read@1", "read"])
    expect((await call("eve", "use_tool", { name })).isError, name).toBe(true);
  expect(stage.starts("boxed")).toBe(0);
});

it.each([
  ["ann", "bob"],
  ["bob", "ann"],
] as const)(
  "is not closed under a call of %s by %s, or by who may not see it (POL-9)",
  async (user, other) => {
    await call("ann", "open_toolbox", { toolbox: "dev" });
    const server = await stage.control.server("boxed");
    const running = slow(user);
    await server.direct({ do: "awaitHeld", count: 1 });
    expect((await call("eve", "close_toolbox", { toolbox: "dev" })).isError).toBe(true);
    await call(other, "open_toolbox", { toolbox: "dev" });
    expect((await call(other, "close_toolbox", { toolbox: "dev" })).isError).toBe(false);
    await server.direct({ do: "release" });
    expect((await running).isError).toBe(false);
    expect(stage.starts("boxed")).toBe(1);
  },
);
