// A config that changes under a running Onym (CFG-4), and Onym's end: calls are drained, nothing is left running.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { serversFolder } from "../servers/start-server.js";
import { ONYM_BIN, onymEnvironment, onymFolder, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { connectV1Stdio, connectV2 } from "./harness-clients.js";
import { hearListChanges } from "./harness-heard.js";
import { askModern, entriesIn } from "./harness-raw.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

const IN_FORCE = "config in force";

describe("a changed config (CFG-4)", () => {
  it("adds and removes servers, with list_changed for each real change, and leaves the others alone (GW-7)", async () => {
    const a = stage.entry({ label: "a", tools: ["one"] });
    const b = stage.entry({ label: "b", tools: ["two"] });
    const onym = await stage.start({ config: { mcpServers: { a } } });
    const client = await connectV2({ url: onym.url, profile: "openai" });
    const heard = hearListChanges(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toEqual(["a_one"]);

    write(onym, { mcpServers: { a, b } });
    await heard.reach(1);
    expect(await names()).toEqual(["a_one", "b_two"]);
    const server = await stage.control.server("b");
    replace(onym, { mcpServers: { a } });
    await heard.reach(2);
    expect(await names()).toEqual(["a_one"]);
    await server.gone;
    await expect(client.callTool({ name: "b_two" })).rejects.toMatchObject({ code: -32602 });
    expect([stage.starts("a"), stage.starts("b")]).toEqual([1, 1]);
    expect(heard.count()).toBe(2);
    await client.close();
  });

  it("starts a server anew whose entry changed, and no other", async () => {
    const a = stage.entry({ label: "a", tools: ["one"] });
    const b = (label: string, tools: readonly string[]) => stage.entry({ label, tools });
    const onym = await stage.start({ config: { mcpServers: { a, b: b("b1", ["two"]) } } });
    expect(await namesAt(onym)).toEqual(["a_one", "b_two"]);
    const old = await stage.control.server("b1");
    write(onym, { mcpServers: { a, b: b("b2", ["three"]) } });
    await onym.said(new RegExp(IN_FORCE));
    await old.gone;
    expect(await namesAt(onym)).toEqual(["a_one", "b_three"]);
    expect(stage.starts("a")).toBe(1);
  });

  it("changes nothing when it is invalid, says why, and goes on with the next good one", async () => {
    const a = stage.entry({ label: "a", tools: ["one"] });
    const onym = await stage.start({ config: { mcpServers: { a } } });
    expect(await namesAt(onym)).toEqual(["a_one"]);
    const bad = [
      "{ no JSON",
      JSON.stringify({ mcpServers: { a, b: { command: "x", alais: 1 } } }),
      JSON.stringify({ mcpServers: { a }, store: `$${"{NOBODY_SET_THIS}"}` }),
      JSON.stringify({ mcpServers: { a, A: { tools: ["x"], integration: "a" } } }),
    ];
    for (const [at, text] of bad.entries()) {
      writeFileSync(join(onym.dir, "onym.json"), text);
      await onym.said(new RegExp(`(the new config is not used[^]*){${at + 1}}`));
      expect(await namesAt(onym), text).toEqual(["a_one"]);
      expect(await callAt(onym, "a_one")).toMatchObject({ server: "a" });
    }
    expect(stage.starts("a")).toBe(1);
    expect(onym.stderr()).not.toContain(IN_FORCE);
    write(onym, { mcpServers: { a, z: { tools: ["x"] } } });
    await onym.said(new RegExp(IN_FORCE));
    expect(await namesAt(onym)).toEqual(["a_one", "z_x"]);
  });

  it("is read again on SIGHUP", async () => {
    const a = stage.entry({ label: "a", tools: ["one"] });
    const onym = await stage.start({ config: { mcpServers: { a } } });
    onym.signal("SIGHUP");
    await onym.said(new RegExp(IN_FORCE));
    expect(await namesAt(onym)).toEqual(["a_one"]);
    expect(stage.starts("a")).toBe(1);
  });
});

describe("the end", () => {
  it("SIGTERM lets a call under way end, and leaves no process", async () => {
    const onym = await stage.start({
      config: {
        mcpServers: {
          a: stage.entry({ label: "a", tools: ["slow"], behaviours: [{ tool: "slow", hold: true }] }),
          b: stage.entry({ label: "b", tools: ["two"] }),
        },
      },
    });
    const [a, b] = [await stage.control.server("a"), await stage.control.server("b")];
    const call = callAt(onym, "a_slow");
    await a.direct({ do: "awaitHeld", count: 1 });
    const stopped = onym.stop("SIGTERM");
    await onym.said(/onym: shutting down/);
    await a.direct({ do: "release" });
    expect(await call).toMatchObject({ server: "a", raw: "slow" });
    expect(await stopped).toEqual({ code: 0, signal: null });
    await Promise.all([a.gone, b.gone]);
    for (const { pid } of [a, b]) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
  });

  it.each(["SIGTERM", "SIGINT"] as const)(
    "%s while servers are starting leaves no process either",
    async (signal) => {
      stage.hold("stuck");
      const onym = await stage.start({
        config: { mcpServers: { stuck: stage.entry({ label: "stuck", tools: [] }) } },
      });
      const stuck = await stage.control.server("stuck");
      expect(await onym.stop(signal)).toEqual({ code: 0, signal: null });
      await stuck.gone;
    },
  );

  it("a client that leaves stdio ends Onym and its servers, without a word on stdout but protocol (GW-1)", async () => {
    const { dir } = onymFolder({
      dir: stage.folder,
      config: { mcpServers: { a: stage.entry({ label: "a", tools: ["one"] }) } },
    });
    const client = await connectV1Stdio({ dir });
    const a = await stage.control.server("a");
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
    await a.gone;
  });

  it("a server that ignores the end of its input and SIGTERM is gone before the client gives up on Onym", async () => {
    const stubborn = join(stage.folder, "stubborn.mjs");
    const script = stage.entry({ label: "stubborn", tools: ["one"] }).args[1];
    const server = pathToFileURL(join(serversFolder, "scripted-server.mjs"));
    // The scripted server would exit with its input; this one does not.
    writeFileSync(
      stubborn,
      `process.argv[2] = ${JSON.stringify(script)};
      process.on("SIGTERM", () => {});
      process.exit = () => {};
      setInterval(() => {}, 1000);
      await import(${JSON.stringify(server)});`,
    );
    const config = { mcpServers: { stubborn: { command: process.execPath, args: [stubborn] } } };
    const { dir } = onymFolder({ dir: stage.folder, config });
    const client = await connectV1Stdio({ dir });
    const { pid, gone } = await stage.control.server("stubborn");
    expect((await client.listTools()).tools).toHaveLength(1);
    await client.close();
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    await gone;
  });

  it("the end of stdin ends Onym with 0, also while a call is under way", async () => {
    const behaviours = [{ tool: "slow", hold: true }];
    const { dir } = onymFolder({
      dir: stage.folder,
      config: { mcpServers: { a: stage.entry({ label: "a", tools: ["slow"], behaviours }) } },
    });
    const child = spawn(process.execPath, [ONYM_BIN, "serve", "--stdio", "--config", "onym.json"], {
      cwd: dir,
      env: onymEnvironment(dir, {}),
      stdio: ["pipe", "pipe", "ignore"],
    });
    const exited = once(child, "exit");
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      output += part;
    });
    const _meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    const params = { name: "slow", _meta };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })}\n`);
    const a = await stage.control.server("a");
    await a.direct({ do: "awaitHeld", count: 1 });
    child.stdin.end();
    expect(await exited).toEqual([0, null]);
    await a.gone;
    for (const line of output.split("\n").filter((text) => text !== ""))
      expect(JSON.parse(line)).toHaveProperty("jsonrpc");
  });
});

function write({ dir }: RunningOnym, config: unknown): void {
  writeFileSync(join(dir, "onym.json"), JSON.stringify(config));
}

/** As editors do: a new file takes the old one's place. */
function replace({ dir }: RunningOnym, config: unknown): void {
  writeFileSync(join(dir, "onym.json.new"), JSON.stringify(config));
  renameSync(join(dir, "onym.json.new"), join(dir, "onym.json"));
}

async function namesAt({ url }: RunningOnym): Promise<readonly string[]> {
  const listed = await askModern({ url: `${url}/openai`, method: "tools/list" });
  return entriesIn(listed, "tools").map(({ name }) => name);
}

async function callAt({ url }: RunningOnym, name: string): Promise<unknown> {
  const { result, error } = await askModern({ url: `${url}/openai`, method: "tools/call", params: { name } });
  return result?.["structuredContent"] ?? error;
}
