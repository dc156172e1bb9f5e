// A machine for the commands of one page: a home with two clients, a folder with what the page takes for granted, and
// `onym` and `npx` on the path that run what is in this repository.

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { ONYM_BIN } from "../gateway/harness.js";
import { projectRoot, readProjectFile } from "../project-files.js";

export interface DocsMachine {
  /** Runs one command line to its end; a gateway to where it listens. */
  readonly run: (command: string) => Promise<{ readonly code: number | null; readonly said: string }>;
  readonly remove: () => void;
}

const SERVER = `
const tools = [{ name: "get_report", description: "Gets a report.", inputSchema: { type: "object" } }];
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }
      : method === "tools/list" ? { tools } : {};
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
});
`;

const MEMORY = { command: "npx", args: ["-y", "@modelcontextprotocol/server-memory"] };
const FILES = { command: "npx", args: ["-y", "@modelcontextprotocol/server-filesystem", "."] };
const SALESFORCE = { tools: ["get_leads", "create_lead"] };

const MIGRATION = "onym migrate --to underscores --tools fleet.json --since 3.0.0 --json > migration.json";

/** With `"config"` there is an onym.json that is trusted and locked; with `"team"` it asks callers for a token. */
export async function newDocsMachine(kind: "clients" | "config" | "team"): Promise<DocsMachine> {
  const home = mkdtempSync(join(tmpdir(), "onym-docs-"));
  const write = (path: string, content: unknown): void => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content, null, 2));
  };
  write(".claude.json", { mcpServers: { files: FILES } });
  write(".cursor/mcp.json", { mcpServers: { memory: MEMORY } });
  write("work/server.js", SERVER);
  write("work/dist/server.js", SERVER);
  write("work/tools.json", [{ name: "Create CIFS Share" }, { name: "fs.list" }]);
  write("work/fleet.json", readProjectFile("test/data/migrate/fleet.json"));
  mkdirSync(join(home, "work/backup"));
  for (const [name, program] of [
    ["onym", ONYM_BIN],
    ["npx", join(projectRoot, "test/servers/npx-local.mjs")],
  ] as const) {
    write(`bin/${name}`, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(join(home, "bin", name), 0o755);
  }
  const path = [join(home, "bin"), dirname(process.execPath), process.env["PATH"]].join(delimiter);
  const env = { PATH: path, HOME: home };
  const cwd = join(home, "work");
  const run: DocsMachine["run"] = async (command) => {
    const isGateway = /\bonym serve\b(?!.*--stdio)/.test(command);
    const line = command.replaceAll("/backup/", "backup/").replace(/^npx (?=onym )/, "");
    // Where a person would answer yes, and where the port may be taken by somebody else.
    const given = /^onym connect [a-z-]+$/.test(line) ? " --yes" : isGateway ? " --port 0" : "";
    const child = spawn("bash", ["-c", `${line}${given}`], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
        if (isGateway && said.includes("onym listening on ")) end(child);
      });
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, said };
  };
  if (kind !== "clients") {
    const auth = { tokens: [{ name: "ci", hash: `sha256:${"0".repeat(64)}` }] };
    const mcpServers = { salesforce: SALESFORCE, github: { tools: ["search"] }, memory: MEMORY };
    write("work/onym.json", { mcpServers, ...(kind === "team" ? { auth } : {}) });
    for (const command of ["onym trust --yes", "onym lock --live", MIGRATION]) {
      const { code, said } = await run(command);
      if (code !== 0) throw new Error(`${command}: ${said}`);
    }
  }
  return { run, remove: () => rmSync(home, { recursive: true, force: true }) };
}

/** The shell and what it started: they are a group of their own. */
function end({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, "SIGTERM");
}
