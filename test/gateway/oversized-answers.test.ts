// A caller that makes a stdio server answer with more than `frameBytes`, from a real gateway: only its own call fails (SAFE-5).

import { afterEach, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { askModern, type RawAnswer } from "./harness-raw.js";

/** Answers with as much text as it is told; calls of `wait` are answered by the next of `release`. */
const GENEROUS = `
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const say = (id, text) => send(id, { content: [{ type: "text", text }] });
  const tools = ["fill", "wait", "release"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const waiting = [];
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const { protocolVersion, name, arguments: args } = params ?? {};
    const serverInfo = { name: "generous", version: "1" };
    if (method === "initialize") send(id, { protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools });
    if (name === "fill") say(id, "x".repeat(args.bytes));
    if (name === "wait") waiting.push(id);
    if (name === "release") for (const each of [...waiting.splice(0), id]) say(each, String(process.pid));
  });
`;

let onym: RunningOnym;
afterEach(() => onym.stop());

it("others at its server go on, also a call of theirs in flight, and the server stays up (SAFE-5)", async () => {
  const server = { command: process.execPath, args: ["-e", GENEROUS] };
  const limits = { frameBytes: 100_000 };
  onym = await startOnym({ config: { mcpServers: { generous: server }, limits, store: "none" } });
  const call = (name: string, args: object): Promise<RawAnswer> =>
    askModern({
      url: `${onym.url}/openai`,
      method: "tools/call",
      params: { name: `generous_${name}`, arguments: args },
    });
  const textOf = ({ text }: RawAnswer): string => JSON.parse(text).result?.content?.[0]?.text ?? text;

  const before = textOf(await call("release", {}));
  expect(before).toMatch(/^\d+$/);
  const others = call("wait", {});
  for (let times = 1; times <= 6; times++) {
    const { error } = JSON.parse((await call("fill", { bytes: 150_000 })).text);
    expect(error.message).toBe(
      'server "generous" sent a message of more than 100000 bytes. The call may have run: its outcome is unknown.',
    );
    expect(error.data).toMatchObject({ outcome: "unknown", limit: "frameBytes", max: 100_000 });
  }
  expect(textOf(await call("fill", { bytes: 10 }))).toBe("xxxxxxxxxx");
  expect(textOf(await call("release", {}))).toBe(before);
  expect(textOf(await others)).toBe(before);
});
