// A home of its own for `onym connect`: files of clients in it, real servers, the command itself.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { main } from "../../packages/onym/src/cli/main.js";
import { createPaint } from "../../packages/onym/src/output/paint.js";
import { atEnd } from "../at-end.js";

/** Lists the tools that it is started with. */
export const SERVER = `
const [, ...names] = process.argv;
const tools = names.map((name) => ({ name, inputSchema: { type: "object" } }));
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === "initialize"
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "t", version: "1" } }
      : method === "tools/list" ? { tools } : method === "ping" ? {} : undefined;
  const reply = result === undefined ? { error: { code: -32601, message: "no" } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...reply }) + "\\n");
});`;

export const serverWith = (...tools: readonly string[]) => ({
  command: process.execPath,
  args: ["-e", SERVER, ...tools],
});

export function newMachine() {
  const home = mkdtempSync(join(tmpdir(), "onym-connect-"));
  atEnd(() => rmSync(home, { recursive: true, force: true }));
  const project = join(home, "work");
  mkdirSync(project);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, USERPROFILE: home };
  const run = (...args: readonly string[]) => runWith(undefined, args);
  /** At a terminal, with this answer, or at none. */
  const runWith = async (
    answer: string | undefined,
    args: readonly string[],
    onErr: (text: string) => void = () => {},
  ) => {
    const said = { out: "", err: "" };
    const isTTY = answer !== undefined;
    const paint = createPaint({ isTTY: false, env });
    const terminal = {
      out: async (text: string) => {
        said.out += text;
      },
      err: (text: string) => {
        said.err += text;
        onErr(text);
      },
      stdin: Object.assign(Readable.from(isTTY ? [`${answer}\n`] : []), { isTTY }),
      columns: undefined,
      errColumns: undefined,
      isTTY,
      paint,
      paintErr: paint,
      env,
      cwd: project,
      today: "2026-11-17",
    };
    return { code: await main(args, terminal, "0.0.0"), ...said };
  };
  const write = (path: string, content: unknown): string => {
    const file = join(home, path);
    mkdirSync(dirname(file), { recursive: true });
    const text = typeof content === "string" ? content : JSON.stringify(content, null, 2);
    writeFileSync(file, text);
    return text;
  };
  const read = (path: string) => readFileSync(join(home, path), "utf8");
  const config = () => JSON.parse(read(".config/onym/onym.json"));
  return { home, project, env, run, runWith, write, read, config };
}
