// A person with Onym, as the conformance suite's client: adds the server to a config, signs in as Onym says, and calls a tool.
// Run by the suite with the server's address as its last argument.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const BIN = fileURLToPath(new URL("../../packages/onym/dist/bin.js", import.meta.url));
/** So often a person does what a message says. */
const PATIENCE = 2;

const url = process.argv.at(-1) ?? "";
const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
  process.env.MCP_CONFORMANCE_CONTEXT ?? "{}",
);
const isClientAlone = /client-credentials/.test(process.env.MCP_CONFORMANCE_SCENARIO ?? "");
const grant = isClientAlone ? "client_credentials" : "authorization_code";

/** Whoever got a secret knows which authorization server it is for; here, it is what the server's metadata says. */
async function findIssuer() {
  const { origin, pathname } = new URL(url);
  for (const path of [pathname, ""]) {
    const response = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
    if (response.ok) return (await response.json()).authorization_servers?.[0];
  }
  return origin;
}

const issuer = clientSecret === undefined ? undefined : await findIssuer();
const oauth = clientId === undefined ? undefined : { clientId, clientSecret, issuer, grant };
const dir = mkdtempSync(join(tmpdir(), "onym-sign-in-"));
writeFileSync(join(dir, "onym.json"), JSON.stringify({ mcpServers: { it: { url, oauth } } }));

function start(args, onText) {
  const env = { PATH: process.env.PATH, HOME: dir };
  const child = spawn(process.env.ONYM_NODE ?? process.execPath, [BIN, ...args, "--config", "onym.json"], {
    cwd: dir,
    env,
    stdio: "pipe",
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      text += part;
      onText(text);
    });
  return { child, ended: new Promise((resolve) => child.once("close", (code) => resolve({ code, text }))) };
}

/** The browser goes where it is sent; nobody has to click. */
async function login(args) {
  let isOpen = false;
  const { ended } = start(["login", ...args, "--timeout", "20"], async (text) => {
    const [, address] = /^ {2}(https?:\S+)$/m.exec(text) ?? [];
    if (address === undefined || isOpen) return;
    isOpen = true;
    await fetch(address);
  });
  const { code, text } = await ended;
  console.error(text);
  return code === 0;
}

async function ask(gateway, method, params = {}) {
  const meta = "io.modelcontextprotocol/";
  const envelope = {
    [`${meta}protocolVersion`]: "2026-07-28",
    [`${meta}clientCapabilities`]: {},
    [`${meta}clientInfo`]: { name: "sign-in", version: "1.0.0" },
  };
  const response = await fetch(`${gateway}/openai`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(params.name === undefined ? {} : { "mcp-name": params.name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: envelope } }),
  });
  return response.text();
}

async function use() {
  if (!isClientAlone && !(await login(["it"]))) return 1;
  let said = "";
  const waiting = new Set();
  const gateway = start(["serve", "--port", "0"], (text) => {
    said = text;
    for (const look of waiting) look();
  });
  const hear = (pattern) =>
    new Promise((resolve) => {
      const look = () => {
        const match = pattern.exec(said);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      look();
    });
  try {
    const [, address] = await hear(/onym listening on (\S+)/);
    const [, state] = await hear(/(ready|down) +it/);
    if (state === "down") {
      if (!/Run onym login it;/.test(said) || !(await login(["it"]))) return 1;
      await hear(/down +it[\s\S]*(?:ready|down) +it/);
    }
    for (let tries = 0; tries <= PATIENCE; tries += 1) {
      const list = await ask(address, "tools/list");
      const [, name] = /"name":"(it_[^"]+)"/.exec(list) ?? [];
      const reply = name === undefined ? list : await ask(address, "tools/call", { name });
      console.error(reply);
      const [, hint] = /onym login ([^;"]+?)(?:\.|;|"|\\n)/.exec(reply) ?? [];
      if (hint === undefined) return 0;
      if (tries === PATIENCE || !(await login(hint.split(" ")))) return 1;
    }
    return 1;
  } finally {
    console.error(said);
    gateway.child.kill();
    await gateway.ended;
  }
}

const code = await use();
rmSync(dir, { recursive: true, force: true });
process.exit(code);
