// The bundled demo: three real MCP servers, run from installed packages if present, else by npx.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Config } from "../config/config.js";
import { DEMO_CONFIG } from "../config/files/config-path.js";
import { readTextFile } from "../config/files/read-text-file.js";
import type { Environment } from "../config/json/expand-variables.js";
import { readConfig } from "../config/read-config.js";

/**
 * Creates a folder for the demo's files, and a config whose servers use it. The folder is removed with this
 * process.
 */
export function loadDemoConfig(env: Environment): Config {
  const folder = mkdtempSync(join(tmpdir(), "onym-demo-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "welcome.txt"), "This folder belongs to the demo of Onym.\n");
  const mcpServers = {
    everything: { ...launch("@modelcontextprotocol/server-everything", ["stdio"]) },
    filesystem: { ...launch("@modelcontextprotocol/server-filesystem", [folder]) },
    memory: {
      ...launch("@modelcontextprotocol/server-memory", []),
      env: { MEMORY_FILE_PATH: join(folder, "memory.jsonl") },
    },
  };
  return readConfig(JSON.stringify({ mcpServers }), {
    file: DEMO_CONFIG,
    folder,
    isClientFile: false,
    env,
    readText: readTextFile,
  });
}

function launch(name: string, args: readonly string[]): { command: string; args: readonly string[] } {
  const file = entryOf(name);
  return file === undefined
    ? { command: "npx", args: ["-y", name, ...args] }
    : { command: process.execPath, args: [file, ...args] };
}

/** The program of an installed package; `undefined` if it is not installed. */
function entryOf(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve(`${name}/package.json`);
    const { bin } = require(manifest) as { bin?: string | Readonly<Record<string, string>> };
    const [entry] = typeof bin === "string" ? [bin] : Object.values(bin ?? {});
    return entry === undefined ? undefined : join(dirname(manifest), entry);
  } catch {
    return undefined;
  }
}
