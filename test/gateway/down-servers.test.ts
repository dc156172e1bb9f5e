// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.
// What callers hear of a server that is down or unhealthy, from a real gateway (GW-6, SAFE-5).

import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { controlMachine } from "../../packages/onym/src/configured/control-machine.js";
import { askStatus } from "../../packages/onym/src/control/ask-gateway.js";
import { serveScriptedHttp } from "../../packages/onym/src/downstream/testing/serve-scripted-http.js";
import { type RunningOnym, startOnym } from "./harness.js";
import { ask, entryOf, signIn } from "./harness-console.js";
import { askModern } from "./harness-raw.js";

/** Exits at once where a file is there; ends when it is told to. */
const MORTAL = `
  if (require("node:fs").existsSync(process.env.GONE)) { console.error("no licence any more"); process.exit(3); }
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: "mortal", version: "1" };
    const tools = ["look", "secret", "die"].map((name) => ({ name, inputSchema: { type: "object" } }));
    if (method === "initialize")
      send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
    if (method === "tools/list") send(id, { tools });
    if (method === "tools/call" && params.name === "die") process.exit(4);
    if (method === "tools/call") send(id, { content: [] });
  });
`;

let dir: string;
let onym: RunningOnym;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "onym-down-"));
});
afterEach(async () => {
  await onym.stop();
  rmSync(dir, { recursive: true, force: true });
});

async function start(): Promise<void> {
  const crm = { command: process.execPath, args: ["-e", MORTAL], env: { GONE: join(dir, "gone") } };
  const policy = { rules: [{ effect: "deny", tool: "crm/secret" }] };
  onym = await startOnym({ dir, config: { mcpServers: { crm }, policy } });
}

async function call(name: string): Promise<{ readonly message: string; readonly data?: object }> {
  const { text } = await askModern({
    url: `${onym.url}/openai`,
    method: "tools/call",
    params: { name, arguments: {} },
  });
  const { error = { message: "a result" } } = JSON.parse(text) as {
    error?: { message: string; data?: object };
  };
  return error;
}

/** Who must not know of a tool does not learn of it when its server is down: it is answered as one that never was. */
async function expectNoSecret(): Promise<void> {
  const named = (tool: string): readonly string[] => [
    ...[`crm_${tool}`, `crm@1/${tool}@1`, `crm/${tool}`, `crm.${tool}`, tool],
    ...[`mcp__crm__${tool}`, `CRM_${tool.toUpperCase()}`, `crm%401%2F${tool}%401`],
  ];
  const never = named("sicrit");
  for (const [at, name] of named("secret").entries()) {
    const other = never[at] ?? "";
    const shown = (answer: object, sent: string) => JSON.stringify(answer).replaceAll(sent, "NAME");
    expect(shown(await call(name), name)).toBe(shown(await call(other), other));
  }
}

const SINCE =
  /^server "crm" is down since \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ: it exited with code 3: no licence any more\./;

describe("a server that is connected and only fails", () => {
  it("is told of once, and its calls are refused at once until one succeeds (SAFE-5)", async () => {
    let isWell = true;
    const server = await serveScriptedHttp(({ body }, response) => {
      if (isWell || body?.["method"] !== "tools/call") return false;
      response.writeHead(503, { "retry-after": "1000" }).end();
      return true;
    });
    onym = await startOnym({ dir, config: { mcpServers: { far: { url: server.url } } } });
    await onym.said(/ready +far/);
    expect((await call("far_echo")).message).toBe("a result");
    isWell = false;
    for (let times = 0; times < 5; times += 1)
      expect(await call("far_echo")).toMatchObject({
        message: expect.stringContaining("answered HTTP 503"),
        data: { retryAfterMs: 300_000 },
      });
    await onym.said(/unhealthy +far/);
    const sent = server.received.length;
    expect(await call("far_echo")).toMatchObject({
      message: expect.stringMatching(
        /^server "far" is unhealthy since .*the last one with HTTP 503\. Nothing was sent\./,
      ),
      data: { server: "far", state: "unhealthy" },
    });
    expect(server.received).toHaveLength(sent);
    const { answers } = await askStatus({
      config: join(realpathSync(dir), "onym.json"),
      machine: controlMachine({ HOME: dir }),
      timeoutMs: 10_000,
    });
    expect(answers[0]?.servers).toMatchObject([
      { server: "far", state: "unhealthy", isListed: true, reason: expect.stringContaining("HTTP 503") },
    ]);
    await server.close();
  });
});

describe("a server that prints a variable of its entry", () => {
  it("is told of without its value, wherever it was filled in", async () => {
    const token = "t0ken+of/the-operator";
    const tell = (code: string) => ["-e", `console.error("Error: no access with", ${code}); process.exit(3)`];
    const mcpServers = {
      plain: { command: process.execPath, args: [...tell("process.argv[1]"), "${TOKEN}"] },
      encoded: {
        command: process.execPath,
        args: [...tell("encodeURIComponent(process.argv[1])"), "x=${TOKEN:-}"],
      },
      split: {
        command: process.execPath,
        args: [...tell('process.argv[1].slice(0, 9) + "\\n" + process.argv[1].slice(9)'), "${TOKEN}"],
      },
      far: { url: "http://127.0.0.1:9/${TOKEN}/mcp" },
      lost: { command: "no-such-command-${TOKEN}" },
    };
    onym = await startOnym({ dir, config: { mcpServers }, args: ["--verbose"], env: { TOKEN: token } });
    for (const id of Object.keys(mcpServers)) await onym.said(new RegExp(`"${id}" is down`));
    const { answers } = await askStatus({
      config: join(realpathSync(dir), "onym.json"),
      machine: controlMachine({ HOME: dir }),
      timeoutMs: 10_000,
    });
    const { text: list } = await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    const told = [onym.stderr(), JSON.stringify(answers), list].join("\n");
    expect(told).toContain("no access with [hidden]");
    expect(told).not.toMatch(/t0ken|the-operator/);
  });
});

describe("a server that stays down", () => {
  it("is what a call to its tool is told of, since when and why, until it is back (GW-6)", async () => {
    await start();
    await onym.said(/ready +crm/);
    await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    expect((await call("crm_look")).message).toBe("a result");
    writeFileSync(join(dir, "gone"), "");
    await call("crm_die");
    await onym.said(/exited with code 3/);
    expect((await call("crm_look")).message).toMatch(SINCE);
    expect((await call("crm_look")).data).toMatchObject({ server: "crm", since: expect.any(String) });
    expect((await call("crm@1/look")).message).toMatch(SINCE);
    await expectNoSecret();
    await onym.stop();

    // Another life of the gateway knows the name from the record alone.
    await start();
    await onym.said(/exited with code 3/);
    expect((await call("crm_look")).message).toMatch(SINCE);
    await expectNoSecret();
    rmSync(join(dir, "gone"));
    onym.signal("SIGHUP");
    await onym.said(/ready +crm/);
    expect((await call("crm_look")).message).toBe("a result");
  });

  it("is told of as if what is denied of another were not there (GW-6)", async () => {
    const entry = { command: process.execPath, args: ["-e", MORTAL], env: { GONE: join(dir, "gone") } };
    const policy = { rules: [{ effect: "deny", tool: "erp/look" }] };
    onym = await startOnym({ dir, config: { mcpServers: { crm: entry, erp: entry }, policy } });
    await onym.said(/ready +crm/);
    await onym.said(/ready +erp/);
    await askModern({ url: `${onym.url}/openai`, method: "tools/list" });
    writeFileSync(join(dir, "gone"), "");
    await call("crm_die");
    await call("erp_die");
    await onym.said(/down +crm .*exited with code 3/);
    await onym.said(/down +erp .*exited with code 3/);
    expect((await call("look")).message).toMatch(SINCE);
    expect((await call("die")).message).toMatch(/^Unknown tool: die/);
  });
});

describe("secrets of a server that is down (SAFE-7)", () => {
  const [WORD, SEGMENT] = ["sbp_0a1b2c3d", "MGI3YzQ2ZmUtOWU1Zi00aQ"];
  const [CALLER, MODE] = ["c".repeat(43), "dynamic"];
  const headers = { authorization: `Bearer ${CALLER}`, accept: "application/json" };
  const program = "console.error('Error: invalid token ' + process.argv.at(-1)); process.exit(1)";
  const words = {
    command: process.execPath,
    args: ["-e", program, "--", "--access-token", WORD],
  };
  /** Nothing listens at port 9. */
  const segment = { url: `http://127.0.0.1:9/api/mcp/s/${SEGMENT}/mcp` };

  it("are hidden from callers, the console and the log; the reason is told without them", async () => {
    onym = await startOnym({
      dir,
      config: {
        mcpServers: { words, segment },
        toolboxes: { dev: { mcpServers: { boxed: words, far: segment } } },
        mode: MODE,
        auth: { tokens: [entryOf("bob", CALLER)] },
      },
    });
    await onym.said(/down +words/);
    await onym.said(/down +segment/);
    const told = new Map<string, string>();
    for (const [method, params] of [
      ["tools/call", { name: "words@1/x@1" }],
      ["tools/call", { name: "open_toolbox", arguments: { toolbox: "dev" } }],
      ["tools/list", {}],
      ["resources/read", { uri: "onym://words/x:1" }],
      ["resources/read", { uri: "onym://segment/x:1" }],
    ] as const) {
      const { text } = await askModern({ url: onym.url, method, params, headers });
      told.set(`${method} ${JSON.stringify(params)}`, text);
    }
    told.set("GET /", await (await fetch(new URL("/", onym.url), { headers })).text());
    for (const token of [CALLER, await signIn(onym)])
      told.set(`console ${token}`, JSON.stringify((await ask(onym, "servers", { token })).body));
    told.set("log", onym.stderr());
    for (const [where, text] of told) {
      expect(text, where).not.toContain(WORD);
      expect(text, where).not.toContain(SEGMENT);
    }
    for (const where of ["GET /", `console ${CALLER}`, "log"]) {
      expect(told.get(where)).toContain("it exited with code 1: Error: invalid token [hidden]");
      expect(told.get(where)).toContain("http://127.0.0.1:9/api/mcp/s/[hidden]/mcp: nothing listens there");
    }
  });
});
