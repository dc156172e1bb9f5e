// A gateway with the probe in its process, and a client of it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));
const PROGRAM = join(here, "../../packages/onym/dist/bin.js");

export async function startGateway({ folder, program = PROGRAM, isProfiled }) {
  const socket = join(folder, "turns.sock");
  rmSync(socket, { force: true });
  const child = spawn(
    process.execPath,
    ["--import", join(here, "probe.mjs"), program, "serve", "--config", "onym.json", "--port", "0"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, ONYM_TURNS: socket, ...(isProfiled ? { ONYM_TURNS_PROFILE: "1" } : {}) },
    },
  );
  let told = "";
  const until = async (words) => {
    while (!told.includes(words)) await once(child.stderr, "data");
  };
  const url = await new Promise((resolve, reject) => {
    child.stderr.setEncoding("utf8").on("data", (text) => {
      told += text;
      const found = /listening on (\S+)/.exec(told);
      if (found !== null) resolve(found[1]);
    });
    child.once("exit", () => reject(new Error(told)));
  });
  const probe = async (word) => {
    const link = connect(socket).setEncoding("utf8");
    link.write(word);
    let text = "";
    for await (const part of link) text += part;
    return JSON.parse(text);
  };
  return { child, url, probe, until };
}

/** A client of 2025-11-25 that stays. */
export async function openClient(url, name = "bench") {
  let session;
  let id = 0;
  const post = async (message) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(session === undefined ? {} : { "mcp-session-id": session, "mcp-protocol-version": "2025-11-25" }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
    session ??= response.headers.get("mcp-session-id") ?? undefined;
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    if (message.method === "tools/list" && !text.includes('"tools":[{'))
      throw new Error(text.slice(0, 1_000));
    return text;
  };
  await post({
    id: ++id,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name, version: "1.0.0" } },
  });
  await post({ method: "notifications/initialized" });
  return {
    list: () => post({ id: ++id, method: "tools/list" }),
    ask: (method, params = {}) => post({ id: ++id, method, params }),
    call: (tool) =>
      post({ id: ++id, method: "tools/call", params: { name: tool, arguments: { query: "x" } } }),
  };
}

const REVISION = "2026-07-28";

/** A client of 2026-07-28, which has no session. */
export function openModernClient(url) {
  let id = 0;
  const ask = async (method, params = {}) => {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": REVISION,
        "mcp-method": method,
        ...(params.name === undefined ? {} : { "mcp-name": params.name }),
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: ++id,
        method,
        params: {
          ...params,
          _meta: {
            ...params._meta,
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  };
  return { ask, call: (tool) => ask("tools/call", { name: tool, arguments: {} }) };
}
