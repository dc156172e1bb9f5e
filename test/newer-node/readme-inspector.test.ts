// The README's Inspector commands, run as they stand, with the version that it names and with the last 0.x.

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectRoot, readProjectFile } from "../project-files.js";

const run = promisify(execFile);
const require = createRequire(import.meta.url);
const newest = dirname(require.resolve("@modelcontextprotocol/inspector/package.json"));
const PROGRAMS = {
  "2.x": join(newest, require("@modelcontextprotocol/inspector/package.json").bin["mcp-inspector"]),
  "0.x": require.resolve("@modelcontextprotocol/inspector-cli/build/cli.js"),
};

/** `npx -y @modelcontextprotocol/inspector@2.12.0 --cli …` in the README: the version, and what follows. */
const commands = [
  ...readProjectFile("README.md").matchAll(/^npx -y @modelcontextprotocol\/inspector@(\S+) (.+)$/gm),
].map(([, version = "", words = ""]) => ({ version, words: words.split(" ") }));

const folder = mkdtempSync(join(tmpdir(), "onym-readme-"));
let gateway: ChildProcess;
let address = "";

beforeAll(async () => {
  const program = join(projectRoot, "packages/onym/dist/bin.js");
  // A home of its own: the user's config would be served instead of the demo.
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder };
  gateway = spawn(process.execPath, [program, "serve", "--demo", "--port", "0"], { cwd: folder, env });
  let said = "";
  for await (const chunk of gateway.stderr ?? []) {
    said += chunk;
    address = /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0] ?? "";
    if (/\d+ tools of 3 servers/.test(said)) break;
  }
}, 120_000);

afterAll(async () => {
  const ended = once(gateway, "exit");
  gateway.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
});

it("names the version that is tested", () => {
  const { version } = require("@modelcontextprotocol/inspector/package.json");
  expect(commands.map((command) => command.version)).toEqual([version, version]);
});

describe.each(Object.entries(PROGRAMS))("with Inspector %s (GW-1)", (_, program) => {
  it("lists the demo's tools and calls one", async () => {
    const outputs = [];
    for (const { words } of commands) {
      const args = words.map((word) => word.replace("http://127.0.0.1:6696", address));
      const { stdout } = await run(process.execPath, [program, ...args], { cwd: dirname(program) });
      outputs.push(stdout);
    }
    expect(outputs[0]).toContain('"everything_echo"');
    expect(outputs[1]).toContain("Echo: hello");
  });
});
