// What onym serve tells people and machines: the built program, real servers and ports.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, startOnym } from "./gateway/harness.js";
import { projectRoot } from "./project-files.js";

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function folderWith(config?: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), "onym-serve-"));
  folders.push(folder);
  if (config !== undefined) writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
  return folder;
}

function onym(folder: string, ...args: readonly string[]) {
  const env = onymEnvironment(folder, {});
  const ran = spawnSync(process.execPath, [ONYM_BIN, ...args], { cwd: folder, encoding: "utf8", env });
  return { code: ran.status, out: ran.stdout, err: ran.stderr };
}

const A = { tools: ["one", "two"] };

describe("serve for people", () => {
  it("says which config it reads, what it serves, and of a server that is down once", async () => {
    const running = await startOnym({
      config: { mcpServers: { a: A, gone: { command: "no-such-program" } } },
    });
    const [summary] = await running.said(/^\d+ tools? of .*$/m);
    expect(summary).toMatch(/^2 tools of 2 servers, 1 down$/);
    await running.stop();
    const told = running.stderr();
    expect(told).toMatch(/^config onym\.json$/m);
    expect(told).toMatch(/^ {2}down {3}gone {2}no-such-program was not found on PATH\n {9}Install it/m);
    expect(told.match(/no-such-program/g)).toHaveLength(1);
    expect(told).not.toMatch(/\d\d:\d\d:\d\d/);
  });

  it("counts toolboxes that nobody opened, and not their tools", async () => {
    const toolboxes = { dev: { mcpServers: { a: A } }, ops: { mcpServers: { b: A } } };
    const running = await startOnym({ config: { mode: "dynamic", toolboxes } });
    await running.said(/^2 toolboxes, opened on demand$/m);
    await running.stop();
  });

  it("says what a new config changes, and shows its mistakes as at the start (CFG-4)", async () => {
    const b = { tools: ["x"] };
    const running = await startOnym({ config: { mcpServers: { a: A, b } } });
    const write = (config: unknown) => writeFileSync(join(running.dir, "onym.json"), JSON.stringify(config));
    write({ mcpServers: { a: { tools: ["one"] }, c: b, d: b } });
    await running.said(/^onym: config in force: \+2 servers, −1, 1 changed$/m);
    running.signal("SIGHUP");
    await running.said(/^onym: config in force: nothing changed$/m);
    write({ mcpServers: { a: { tools: ["one"] }, c: b, d: b }, naming: { as: "tools" } });
    await running.said(/^onym: config in force: other settings changed, all 3 servers unchanged$/m);
    write({ mcpServers: { a: { alais: 1, toolz: 2 } } });
    await running.said(
      /^onym: the new config is not used\nerror: There are 2 mistakes.*\nonym\.json:\d+:\d+ .*alais.*\n {2}Did you mean/m,
    );
    await running.stop();
  });

  it("says where no config is how to come to one", () => {
    const without = onym(folderWith(), "serve");
    expect(without).toMatchObject({
      code: 2,
      err: expect.stringContaining("onym connect CLIENT moves the servers"),
    });
    expect(without.err).toContain("onym serve --demo");
  });

  it("starts no server where the port is taken", async () => {
    const running = await startOnym({ config: { mcpServers: { a: A } } });
    const started = { command: process.execPath, args: ["-e", "require('fs').writeFileSync('started', '')"] };
    const folder = folderWith({ mcpServers: { started } });
    const port = new URL(running.url).port;
    expect(onym(folder, "serve", "--config", "onym.json", "--port", port).code).toBe(2);
    expect(existsSync(join(folder, "started"))).toBe(false);
    await running.stop();
  });

  it("says that Onym has the port already", async () => {
    const running = await startOnym({ config: { mcpServers: { a: A } } });
    const second = onym(folderWith({ mcpServers: { a: A } }), "serve", "--port", new URL(running.url).port);
    expect(second).toMatchObject({ code: 2, err: expect.stringContaining("an Onym runs there already") });
    await running.stop();
  });

  it("leaves no folder of the demo behind", async () => {
    const temporary = folderWith();
    const running = await startOnym({ args: ["--demo"], env: { TMPDIR: temporary, TEMP: temporary } });
    expect(readdirSync(temporary)).toHaveLength(1);
    await running.stop();
    expect(readdirSync(temporary)).toEqual([]);
  });
});

describe("serve --stdio", () => {
  const nasty = { command: process.execPath, args: [join(projectRoot, "rules/server.mjs"), "crm"] };
  /** Waits of this length and more never end, so that a program that waits for one does not end either. */
  const STUCK = `data:text/javascript,${encodeURIComponent(
    "const real = setTimeout; globalThis.setTimeout = Object.assign((run, ms, ...rest) => real(run, ms >= 400 ? 2 ** 30 : ms, ...rest), real);",
  )}`;

  it("ends after the end of its input, without waiting for a timer", async () => {
    const folder = folderWith({ mcpServers: { crm: nasty } });
    const child = spawn(
      process.execPath,
      ["--import", STUCK, ONYM_BIN, "serve", "--stdio", "--config", "onym.json"],
      {
        cwd: folder,
        env: onymEnvironment(folder, {}),
        stdio: ["pipe", "pipe", "ignore"],
      },
    );
    const send = (message: object) =>
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const clientInfo = { name: "trial", version: "1" };
    send({
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo },
    });
    send({ method: "notifications/initialized" });
    send({ id: 2, method: "tools/list" });
    const ended = once(child, "exit");
    let text = "";
    for await (const chunk of child.stdout) {
      text += String(chunk);
      if (text.includes('"id":2')) child.stdin.end();
    }
    expect(await ended).toEqual([0, null]);
    expect(text).toContain("crm_search");
  });
});

describe("serve --verbose", () => {
  it("tells what it detected of clients of every revision, once each, and which alias was taken (NAME-9)", async () => {
    const running = await startOnym({ config: { mcpServers: { a: A } }, args: ["--verbose"] });
    const ask = (method: string, params: object) =>
      fetch(running.url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      });
    const clientInfo = { name: "qwen-cli-mcp-client-acme", version: "1" };
    const meta = {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": clientInfo,
      "io.modelcontextprotocol/clientCapabilities": {},
    };
    for (let time = 0; time < 2; time++) expect((await ask("tools/list", { _meta: meta })).status).toBe(200);
    await running.said(/client detected .*profile=qwen-code .*as=acme asBy="the client's announcement"/);
    await running.stop();
    expect(running.stderr().match(/client detected/g)).toHaveLength(1);
  });
});

describe("serve --log-json", () => {
  it("writes nothing but objects, from the first word to the last", async () => {
    const folder = folderWith({ mcpServers: { a: A, gone: { command: "no-such-program" } } });
    const child = spawn(process.execPath, [ONYM_BIN, "serve", "--port", "0", "--log-json"], {
      cwd: folder,
      env: onymEnvironment(folder, {}),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let text = "";
    for await (const chunk of child.stderr) {
      text += String(chunk);
      if (/ of 2 servers/.test(text) && !child.killed) child.kill("SIGTERM");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    const objects = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { text: string });
    const texts = objects.map((object) => object.text);
    expect(texts).toContain("config onym.json");
    expect(texts).toContainEqual(expect.stringMatching(/^onym listening on http:\/\/127\.0\.0\.1:\d+\/mcp$/));
    expect(objects).toContainEqual(expect.objectContaining({ tools: 2, servers: 2, down: 1 }));
    expect(texts.at(-1)).toMatch(/^onym: shutting down/);
  });

  it("tells a config that cannot be used as one object", () => {
    const { code, err } = onym(
      folderWith({ mcpServers: { a: { alais: 1, toolz: 2 } } }),
      "serve",
      "--log-json",
    );
    expect(code).toBe(2);
    expect(JSON.parse(err)).toMatchObject({ severity: "error", text: expect.stringContaining("toolz") });
    expect(err).not.toContain("000A");
  });
});

describe("command lines that ask for nothing", () => {
  it.each([
    [["serve", "--stdio", "--port", "1"], "--stdio and --port do not go together"],
    [["serve", "--stdio", "--host", "::1"], "--stdio and --host do not go together"],
    [
      ["serve", "--stdio", "--allow-unauthenticated"],
      "--stdio and --allow-unauthenticated do not go together",
    ],
    [["lint", "--"], "There is nothing after --."],
    [["help", "nope"], "unknown command 'nope'"],
  ])("%j is refused (exit 2)", (args, told) => {
    expect(onym(folderWith(), ...args)).toMatchObject({ code: 2, err: expect.stringContaining(told) });
  });
});

it("the demo has a tools file to lint", () => {
  const demo = join(projectRoot, "packages/onym/demo");
  expect(onym(demo, "lint", "--tools", "tools.json")).toMatchObject({
    code: 1,
    out: expect.stringContaining("search files"),
  });
});

it("init writes a $schema only where it is found from there", () => {
  const folder = folderWith();
  writeFileSync(join(folder, ".mcp.json"), JSON.stringify({ mcpServers: { x: { command: "x" } } }));
  const schemaOf = () => JSON.parse(onym(folder, "init", "--dry-run", "--json").out).config.$schema;
  expect(schemaOf()).toBeUndefined();
  const schema = join(folder, "node_modules/onym/schema");
  mkdirSync(schema, { recursive: true });
  writeFileSync(join(schema, "onym.schema.json"), "{}");
  expect(existsSync(join(folder, schemaOf()))).toBe(true);
});
