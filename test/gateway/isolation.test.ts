// Where real servers start under onym serve, who may look there, and what stands between them and Onym's own files (SAFE-7).

import { createHash } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { ASKED_CLIENTS, yes } from "./harness-asked.js";
import { connectV2 } from "./harness-clients.js";
import { runCommand } from "./harness-sign-in.js";

/** Tells where it runs. */
const SERVER = `
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: "where", version: "1" };
    if (method === "initialize")
      send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools: [{ name: "where", inputSchema: { type: "object" } }] });
    if (method === "tools/call") send(id, { content: [{ type: "text", text: process.cwd() }] });
  });
`;
const entry = { command: process.execPath, args: ["-e", SERVER] };

let dir: string;
const running: RunningOnym[] = [];
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), "onym-isolation-")));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((onym) => onym.stop()));
  rmSync(dir, { recursive: true, force: true });
});

async function start(mcpServers: object, more: object = {}, env: Record<string, string> = {}) {
  const onym = await startOnym({ dir, env, config: { mcpServers, ...more } });
  running.push(onym);
  const client = await connectV2({ url: onym.url, profile: "openai" });
  const whereOf = async (server: string): Promise<string> => {
    const { content } = await client.callTool({ name: `${server}_where`, arguments: {} });
    const [first] = content as readonly { readonly text?: string }[];
    return first?.text ?? "";
  };
  return { onym, whereOf, close: () => client.close() };
}

describe.skipIf(process.platform === "win32")("a server that is started", () => {
  it("starts in a folder of its own that only the user may enter, unless its entry says otherwise (SAFE-7)", async () => {
    writeFileSync(join(dir, "server.cjs"), SERVER);
    const { whereOf, close } = await start({
      own: entry,
      other: entry,
      here: { ...entry, cwd: "." },
      script: { command: process.execPath, args: ["server.cjs"] },
    });
    const own = await whereOf("own");
    expect(dirname(own)).toBe(join(dir, ".local/state/onym/servers"));
    expect(basename(own)).toMatch(/^own-/);
    expect(await whereOf("other")).not.toBe(own);
    expect(await whereOf("here")).toBe(dir);
    expect(await whereOf("script")).toBe(dir);
    const modes = [own, dirname(own), join(dir, ".local/state/onym")].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700]);
    expect(statSync(join(dir, "onym.db")).mode & 0o777).toBe(0o600);
    await close();
  });

  it("is started by the command that isolates it", async () => {
    const mark = join(dir, "mark");
    const isolation = ["/bin/sh", "-c", `echo "$0" > ${mark}; exec "$0" "$@"`];
    const { whereOf, close } = await start({ own: { ...entry, isolation } });
    expect(basename(await whereOf("own"))).toMatch(/^own-/);
    expect(readFileSync(mark, "utf8").trim()).toBe(process.execPath);
    await close();
  });

  it("is started by bubblewrap without the state of Onym", async () => {
    const mark = join(dir, "mark");
    const bin = mkdtempSync(join(tmpdir(), "onym-bin-"));
    // Says how it was called, and then only starts the server.
    const bwrap = `#!/bin/sh\necho "$@" > ${mark}\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n`;
    writeFileSync(join(bin, "bwrap"), bwrap);
    chmodSync(join(bin, "bwrap"), 0o755);
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const { whereOf, close } = await start({ own: { ...entry, isolation: "bubblewrap" } }, {}, env);
    const own = await whereOf("own");
    const said = readFileSync(mark, "utf8");
    for (const words of [
      "--die-with-parent",
      "--ro-bind / /",
      `--tmpfs ${join(dir, ".local/state/onym")}`,
      "--tmpfs /tmp",
      "--cap-drop ALL",
      `--bind ${own} ${own} --setenv HOME ${own} --chdir ${own} -- ${process.execPath}`,
    ])
      expect(said).toContain(words);
    await close();
    rmSync(bin, { recursive: true });
  });

  it("stays down where what should isolate it is missing", async () => {
    const env = { PATH: "/nowhere" };
    const { onym, close } = await start({ own: { ...entry, isolation: "bubblewrap" } }, {}, env);
    await onym.said(/down +own.*bwrap was not found on PATH/);
    await close();
  });

  it.each([
    ["by its id", "own", {}],
    ["by the id that it had", "before", { formerly: ["before"] }],
  ])("is warned about where policy asks about it %s and nothing isolates it", async (_, server, more) => {
    const asked = { ...entry, ...more };
    const policy = { rules: [{ effect: "ask", server }] };
    const warning =
      /"own" runs as your user and could approve its own calls\. Set "isolation": https:\S+config\.md#how-servers-are-reached\n/;
    const { onym, close } = await start({ own: asked, other: entry }, { policy });
    await onym.said(warning);
    await close();
    const doctor = await runCommand(dir, ["doctor", "--json"]);
    expect(doctor.out).toMatch(/\\"own\\" runs as your user and could approve its own calls/);
    const isolated = await start({ own: { ...asked, isolation: ["env"] }, other: entry }, { policy });
    await isolated.whereOf("other");
    expect(isolated.onym.stderr()).not.toMatch(warning);
    await isolated.close();
  });

  it("cannot approve its own calls: where nothing proves who a client is, an operator is asked", async () => {
    const policy = { rules: [{ effect: "ask", server: "other" }] };
    const warning = /every program on this machine can call this gateway as your clients do, "own" included/;
    const mcpServers = { own: { ...entry, isolation: ["env"] }, other: entry };
    const { onym, close } = await start(mcpServers, { policy });
    await onym.said(warning);
    for (const [, connect] of ASKED_CLIENTS) {
      // As a server could: by the address that every program on the machine can reach.
      const client = await connect(`${onym.url}/openai`, () => yes("always"));
      const { isError, content } = await client.call("other_where");
      expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining("onym approve")]);
      expect(client.questions).toEqual([]);
      await client.close();
    }
    await close();
    const doctor = await runCommand(dir, ["doctor", "--json"]);
    expect(doctor.out).toMatch(/as your clients do, \\"own\\" included/);
  });

  it("leaves approvals to clients that prove who they are, also beside it", async () => {
    const token = "a-token-of-the-user-0123456789";
    const auth = {
      tokens: [{ name: "me", hash: `sha256:${createHash("sha256").update(token).digest("hex")}` }],
    };
    const policy = { rules: [{ effect: "ask", server: "other" }] };
    const mcpServers = { own: { ...entry, isolation: ["env"] }, other: entry };
    const onym = await startOnym({ dir, config: { mcpServers, policy, auth } });
    running.push(onym);
    await onym.said(/2 tools of 2 servers/);
    expect(onym.stderr()).not.toContain("every program on this machine");
    const questions: string[] = [];
    const client = await connectV2({
      url: onym.url,
      profile: "openai",
      headers: { authorization: `Bearer ${token}` },
      capabilities: { elicitation: { form: {} } },
      prepareV2: (made) =>
        made.setRequestHandler("elicitation/create", async ({ params }) => {
          questions.push(params.message);
          return { action: "accept", content: { decision: "once" } };
        }),
    });
    const { isError } = await client.callTool({ name: "other_where", arguments: {} });
    expect([isError ?? false, questions.length]).toEqual([false, 1]);
    await client.close();
  });
});
