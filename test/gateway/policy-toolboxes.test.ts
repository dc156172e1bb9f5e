// Toolboxes under policy: who may not see one neither opens nor closes it, and nobody closes it under a call (POL-9).

import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askModern } from "./harness-raw.js";

const CALLERS = ["ann", "bob", "eve"] as const;
const auth = {
  tokens: CALLERS.map((name) => ({
    name,
    hash: `sha256:${createHash("sha256").update(`secret-of-${name}`).digest("hex")}`,
  })),
};
let stage: Stage;
let onym: RunningOnym;

beforeAll(async () => {
  stage = await createStage();
  const behaviours = [{ tool: "slow", hold: true }];
  const fs = stage.entry({ label: "boxed", tools: ["slow", "read"], behaviours });
  onym = await stage.start({
    config: {
      toolboxes: {
        dev: { description: "For developers", mcpServers: { fs } },
        pub: { description: "For all", mcpServers: { notes: { tools: ["note"] } } },
      },
      mode: "proxy",
      auth,
      policy: { rules: [{ effect: "deny", toolbox: "dev", caller: "eve" }] },
    },
  });
});
afterAll(() => stage.close());

const call = async (who: (typeof CALLERS)[number], name: string, args: object = {}, url = onym.url) => {
  const { result, text } = await askModern({
    url,
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

describe("a toolbox with a server that is denied and down (POL-9, GW-6)", () => {
  const payroll = {
    command: process.execPath,
    args: ["-e", "console.error('payroll DB at pay-db-7 refused svc_payroll'); process.exit(3)"],
  };
  /** One that the caller may use, and that is down as well. */
  const down = { command: process.execPath, args: ["-e", "process.exit(4)"] };
  const policy = { rules: [{ effect: "deny", server: "payroll", caller: "eve" }] };
  const start = (mcpServers: object, mode: string) =>
    stage.start({ config: { toolboxes: { dev: { mcpServers } }, mode, auth, policy } });

  it.each([
    ["dynamic", "open_toolbox", { toolbox: "dev" }],
    ["proxy", "open_toolbox", { toolbox: "dev" }],
    ["proxy", "list_toolboxes", {}],
    ["proxy", "find_tools", { query: "payroll" }],
    ["proxy", "use_tool", { name: "dev__payroll__wipe" }],
    ["proxy", "use_tool", { name: "wipe", server: "payroll", toolbox: "dev" }],
  ] as const)("in mode %s, %s of %j answers as if it were not there", async (mode, name, args) => {
    for (const docs of [stage.entry({ label: `docs-${mode}`, tools: ["find"] }), down]) {
      const [withIt, without] = [await start({ docs, payroll }, mode), await start({ docs }, mode)];
      const told = await call("eve", name, args, withIt.url);
      expect(told.text).toBe((await call("eve", name, args, without.url)).text);
      const ofAnother = await call("ann", "open_toolbox", { toolbox: "dev" }, withIt.url);
      expect(ofAnother.text).toContain("pay-db-7");
      await withIt.stop();
      await without.stop();
    }
  });

  it("is not named by who opens it while somebody closes it", async () => {
    const docs = stage.entry({ label: "docs-closed", tools: ["find"] });
    const up = stage.entry({ label: "payroll-closed", tools: ["wipe"] });
    const both = await start({ docs, payroll: up }, "proxy");
    const answers = [];
    for (let turn = 0; turn < 4; turn += 1)
      answers.push(
        ...(await Promise.all([
          call("eve", "open_toolbox", { toolbox: "dev" }, both.url),
          call("eve", "close_toolbox", { toolbox: "dev" }, both.url),
        ])),
      );
    expect(answers.map(({ text }) => text).join()).not.toContain("payroll");
  });
});
