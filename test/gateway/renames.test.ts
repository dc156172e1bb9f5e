// Old names before a running gateway (LOCK-2): they work for their window, say what comes after them, and are counted.

import { execFile } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askLegacy, askModern, entriesIn, listenModern } from "./harness-raw.js";
import { reloadConfig } from "./harness-reload.js";

type Json = Readonly<Record<string, unknown>>;

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

const TO = "mail@1/send@1";
const RENAMES = [
  { from: "mail_post", to: TO, since: "2.3.0" },
  { from: "mail_ship", to: TO, since: "2.0.0", majors: 3, policy: "accept" },
  { from: "mail_fly", to: TO, since: "2.3.0", policy: "reject" },
  { from: "mail_old", to: TO, until: "2001-01-01" },
];

function mail(label: string, version: string | number, more: Json = {}): Json {
  return {
    mcpServers: { mail: stage.entry({ label, version, tools: ["send"] }) },
    renames: RENAMES,
    ...more,
  };
}

async function call({ url }: RunningOnym, name: string, ask = askModern, args: Json = {}) {
  return ask({ url: `${url}/openai`, method: "tools/call", params: { name, arguments: args } });
}

async function adopt(onym: RunningOnym, config: Json, times: number): Promise<void> {
  writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(config));
  await onym.said(new RegExp(`(config in force[^]*){${times}}`));
}

async function counted(dir: string): Promise<Readonly<Record<string, number>>> {
  const { used } = await onymJson<{ used: readonly { name: string; count: number }[] }>(dir, "renames");
  return Object.fromEntries(used.map(({ name, count }) => [name, count]));
}

/** Not synchronously: scripted servers ask this process whether they may start. */
async function onymJson<Report>(dir: string, ...args: readonly string[]): Promise<Report> {
  const env = onymEnvironment(dir, {});
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [ONYM_BIN, ...args, "--config", "onym.json", "--json"],
    {
      cwd: dir,
      env,
    },
  );
  return JSON.parse(stdout) as Report;
}

describe("an old name whose window is counted in major versions (LOCK-2, S002-12, S002-15)", () => {
  it("works as long as the server announces them, is refused with its successor after, and works again before", async () => {
    const onym = await stage.start({ config: mail("two", "2.3.0") });
    for (const ask of [askModern, askLegacy]) {
      const { result } = await call(onym, "mail_post", ask);
      expect(result).toMatchObject({
        structuredContent: { raw: "send" },
        _meta: {
          "onym/deprecated": {
            successor: "mail_send",
            warnings: [expect.stringContaining("It is refused from version 4.0.0 of its server on.")],
          },
        },
      });
    }
    const listed = await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    expect(entriesIn(listed, "tools").map(({ name }) => name)).toEqual(["mail_send"]);
    await onym.said(/a former name was called.*mail@1\/send@1/);

    await adopt(onym, mail("three", "3.9.0"), 1);
    expect((await call(onym, "mail_post")).result).toMatchObject({ structuredContent: { raw: "send" } });

    await adopt(onym, mail("four", "4.0.0"), 2);
    for (const ask of [askModern, askLegacy])
      expect((await call(onym, "mail_post", ask)).error).toMatchObject({
        code: -32602,
        message: "Unknown tool: mail_post (retired; call mail_send instead)",
        data: { retired: TO, successor: "mail_send" },
      });
    expect((await call(onym, "mail_ship")).result).toMatchObject({ structuredContent: { raw: "send" } });

    await adopt(onym, mail("back", "3.9.0"), 3);
    expect((await call(onym, "mail_post")).result).toMatchObject({ structuredContent: { raw: "send" } });
  });

  it("of a clean break is unknown from the first day, and the answer says what to call (S003-12)", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: { shell: stage.entry({ label: "shell", tools: ["fs_list"] }) },
        renames: [{ from: "shell@1/fs.list@1", to: "shell@1/fs_list@1", policy: "reject" }],
      },
    });
    for (const name of ["shell@1/fs.list@1", "shell%401~fs.list%401"])
      expect((await call(onym, name)).error).toMatchObject({
        code: -32602,
        message: `Unknown tool: ${name} (retired; call shell_fs_list instead)`,
      });
  });

  it("of a break that nobody declared is unknown to everybody, and new names are to a server that is not upgraded (S003-12)", async () => {
    const OLD = ["powershell.exec", "fs.list"];
    const NEW = ["powershell_exec", "fs_list"];
    const onym = await stage.start({
      config: {
        mcpServers: { kenny: stage.entry({ label: "kenny", tools: OLD }) },
        naming: { style: "dotted", profile: "mcp" },
      },
    });
    const list = async () =>
      entriesIn(await askModern({ url: onym.url, method: "tools/list" }), "tools").map(({ name }) => name);
    const refuseAll = async (raws: readonly string[]): Promise<void> => {
      for (const raw of raws) {
        const spellings = [`kenny.${raw}`, `kenny@1/${raw}@1`, `kenny/${raw}`, `mcp__kenny__${raw}`, raw];
        for (const name of spellings)
          for (const ask of [askModern, askLegacy]) {
            const { error } = await ask({ url: onym.url, method: "tools/call", params: { name } });
            expect(error, name).toMatchObject({ code: -32602 });
            expect(error?.message.startsWith(`Unknown tool: ${name}`), error?.message).toBe(true);
          }
      }
    };
    expect(await list()).toEqual(["kenny.fs.list", "kenny.powershell.exec"]);
    await refuseAll(NEW);

    const listening = await listenModern(onym.url, { toolsListChanged: true });
    const server = await stage.control.server("kenny");
    await server.direct({ do: "set", tools: NEW });
    await listening.reach("notifications/tools/list_changed", 1);
    listening.close();
    expect(await list()).toEqual(["kenny.fs_list", "kenny.powershell_exec"]);
    await refuseAll(OLD);
    const { received } = (await server.direct({ do: "received" })) as { received: { method: string }[] };
    expect(received.filter(({ method }) => method === "tools/call")).toEqual([]);
    const { result } = await askModern({
      url: onym.url,
      method: "tools/call",
      params: { name: "kenny.fs_list" },
    });
    expect(result).toMatchObject({ structuredContent: { raw: "fs_list" } });
  });

  it("goes on working where the server says nothing that is a version, and the log says so once", async () => {
    const onym = await stage.start({ config: mail("dated", "of last tuesday") });
    for (const name of ["mail_post", "mail_ship"])
      expect((await call(onym, name)).result).toMatchObject({ structuredContent: { raw: "send" } });
    await onym.said(/mail_post.*counted in major versions.*of last tuesday/);
    await adopt(onym, mail("unsaid", 7), 1);
    expect((await call(onym, "mail_post")).result).toMatchObject({ structuredContent: { raw: "send" } });
    await onym.said(/mail_post.*counted in major versions.*says no version/);
    expect(onym.stderr().match(/mail_post.*of last tuesday/g)).toHaveLength(1);
  });

  it("is counted for each caller, whether it is warned of, accepted or refused, and by use_tool too", async () => {
    const toolboxes = { box: { mcpServers: { notes: stage.entry({ label: "notes", tools: ["add"] }) } } };
    const boxed = { from: "box_add", to: "notes@1/add@1" };
    const renames = [...RENAMES, boxed];
    const dir = mkdtempSync(join(stage.folder, "counted-"));
    const onym = await stage.start({
      dir,
      config: mail("counted", "2.3.0", { toolboxes, mode: "proxy", renames, naming: { style: "flat" } }),
    });
    const accepted = (await call(onym, "mail_ship")).result;
    expect(accepted).toMatchObject({ structuredContent: { raw: "send" } });
    expect(accepted?.["_meta"]).not.toHaveProperty("onym/deprecated");
    await call(onym, "mail_post");
    await call(onym, "mail_post", askLegacy);
    for (const name of ["mail_fly", "mail_old"])
      expect((await call(onym, name)).error?.data).toMatchObject({ successor: "mail_send" });
    const used = await call(onym, "use_tool", askModern, { name: "box_add", toolbox: "box" });
    expect(used.result?.["_meta"]).toMatchObject({ "onym/deprecated": { warnings: [expect.anything()] } });
    await call(onym, "mail_send");
    // Counts are written beside the answers; all are there once the gateway has ended.
    await onym.stop();
    expect(await counted(dir)).toEqual({ box_add: 1, mail_fly: 1, mail_old: 1, mail_post: 2, mail_ship: 1 });
  });
});

it("a rename that is proposed is counted from the version that the server announces (LOCK-2, LOCK-3)", async () => {
  const dir = mkdtempSync(join(stage.folder, "proposed-"));
  const offer = (label: string, version: string, name: string): void => {
    const tools = [{ name, description: "Lists mails", inputSchema: { type: "object" } }];
    const config = { mcpServers: { mail: stage.entry({ label, version, tools }) } };
    writeFileSync(join(dir, "onym.json"), JSON.stringify(config));
  };
  offer("before", "2.0.4", "list");
  await onymJson(dir, "lock", "--live");
  offer("after", "2.1.0", "find");
  const { proposals } = await onymJson<{ proposals: readonly Json[] }>(dir, "renames", "--live");
  expect(proposals).toMatchObject([
    {
      renames: expect.arrayContaining([
        { from: "mail@1/list@1", to: "mail@1/find@1", since: "2.1.0", policy: "warn" },
      ]),
    },
  ]);
});

it("a rule that denies a server by its former id holds after formerly was removed, by the lock (LOCK-5) (POL-1)", async () => {
  const server = stage.entry({
    label: "moved",
    tools: ["look"],
    resources: [{ name: "a", uri: "moved:///a" }],
  });
  const onym = await stage.start({ config: { mcpServers: { old: server } } });
  const read = () => askModern({ url: onym.url, method: "resources/read", params: { uri: "moved:///a" } });
  expect((await call(onym, "old_look")).result).toBeDefined();
  await reloadConfig(onym, { mcpServers: { docs: { ...server, formerly: ["old"] } } });
  expect((await call(onym, "old_look")).result).toBeDefined();
  await reloadConfig(onym, {
    mcpServers: { docs: server },
    policy: { rules: [{ effect: "deny", server: "old" }] },
  });
  expect((await call(onym, "old_look")).text).toContain("Unknown tool");
  expect((await read()).result).toBeUndefined();
  // What nothing denies is there.
  await reloadConfig(onym, { mcpServers: { docs: server } });
  expect((await call(onym, "old_look")).result).toBeDefined();
  expect((await read()).result).toBeDefined();
});
