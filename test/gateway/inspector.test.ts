// The official MCP Inspector's command line lists and calls through Onym, over HTTP, SSE and stdio.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment, type RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";

const CLI = createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector-cli/build/cli.js");
const run = promisify(execFile);

let stage: Stage;
let onym: RunningOnym;

beforeAll(async () => {
  stage = await createStage();
  const config = {
    mcpServers: {
      docs: stage.entry({
        label: "docs",
        tools: ["search", "files.read"],
        resources: [{ uri: "file:///a", name: "a" }],
        prompts: [{ name: "greet" }],
      }),
      wiki: stage.entry({ label: "wiki", tools: ["search"] }),
    },
  };
  onym = await stage.start({ dir: stage.folder, config });
  // As a user registers Onym in a client.
  const args = [ONYM_BIN, "serve", "--stdio", "--config", join(stage.folder, "onym.json")];
  const registered = { mcpServers: { onym: { command: process.execPath, args } } };
  writeFileSync(join(stage.folder, "inspector.json"), JSON.stringify(registered));
});

afterAll(() => stage.close());

/** From its own folder, because it looks for its package.json relative to where it is run. */
async function inspectTarget(...args: string[]): Promise<Record<string, unknown>> {
  const options = { cwd: dirname(CLI), env: onymEnvironment(onym.dir, {}) };
  return JSON.parse((await run(process.execPath, [CLI, "--cli", ...args], options)).stdout);
}

const targets: readonly (readonly [string, () => readonly string[], readonly string[]])[] = [
  ["HTTP", () => [onym.url], ["--transport", "http"]],
  ["SSE", () => [onym.url.replace(/\/mcp$/, "/sse")], ["--transport", "sse"]],
  ["stdio", () => ["--config", join(onym.dir, "inspector.json"), "--server", "onym"], []],
];

describe.each(targets)("the Inspector over %s (GW-1)", (_, target, transport) => {
  const inspect = async (...args: string[]): Promise<Record<string, unknown>> => {
    return inspectTarget(...target(), ...transport, ...args);
  };

  it("lists every tool under its name there, and calls one", async () => {
    const { tools } = (await inspect("--method", "tools/list")) as { tools: readonly { name: string }[] };
    const names = tools.map(({ name }) => name);
    expect(names).toHaveLength(3);
    expect(new Set(names).size).toBe(3);
    const name = names.find((text) => /wiki/.test(text)) ?? "";
    const called = await inspect("--method", "tools/call", "--tool-name", name, "--tool-arg", "nonce=n1");
    expect(called["structuredContent"]).toMatchObject({ server: "wiki", raw: "search", nonce: "n1" });
  });
});

it("the Inspector lists prompts and resources, and reads one (GW-5)", async () => {
  const inspect = (...args: string[]) => inspectTarget(onym.url, "--transport", "http", ...args);
  const [prompts, resources, read] = await Promise.all([
    inspect("--method", "prompts/list"),
    inspect("--method", "resources/list"),
    inspect("--method", "resources/read", "--uri", "file:///a"),
  ]);
  expect(prompts["prompts"]).toHaveLength(1);
  expect(resources["resources"]).toMatchObject([{ uri: "file:///a" }]);
  expect(read["contents"]).toEqual([{ uri: "file:///a", text: "docs: file:///a" }]);
});
