// Onym itself, as it is by default and with features off one by one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startCollector } from "./start-collector.mjs";
import { startProcess } from "./start-process.mjs";

/** Rules as people write them; the one that asks is about a tool that is not called. */
const POLICY = {
  default: "allow",
  rules: [
    { effect: "deny", server: "s0", tool: "s0@1/delete_*" },
    { effect: "ask", tool: "s0@1/update_*" },
    { effect: "allow", server: "s*", caller: "*" },
  ],
};

const KINDS = {
  onym: { label: "everything on", config: { policy: POLICY }, traces: true },
  "onym-no-audit": { label: "audit, store and tracing off", config: { policy: POLICY, store: "none" } },
  "onym-no-tracing": { label: "tracing off", config: { policy: POLICY } },
  "onym-no-policy": { label: "policy off", config: {}, traces: true },
  "onym-bare": {
    label: "store, policy, detection and tracing off",
    config: { store: "none", naming: { detect: false, references: false } },
  },
};

/** `programs`: label → path of `bin/onym.js`; an empty label for the only one. */
export function onymTargets(programs) {
  return [...programs].flatMap(([name, program]) =>
    Object.entries(KINDS).map(([kind, { label, config, traces }]) => ({
      id: name === "" ? kind : `${name}:${kind}`,
      kind,
      label: `Onym${name === "" ? "" : ` ${name}`}, ${label}`,
      ins: ["http", "stdio"],
      outs: ["http", "stdio"],
      eras: ["legacy", "modern"],
      many: true,
      /** For commands that are no gateway. */
      program: resolve(program),
      prepare: traces ? startCollector : undefined,
      start: (setup) => startOnym({ ...setup, program: resolve(program), config, traces }),
    })),
  );
}

async function startOnym({ program, config, traces, folder, servers, via, nodeArgs = [] }) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "onym.json");
  writeFileSync(file, JSON.stringify({ ...config, mcpServers: servers }));
  const args = [...nodeArgs, program, "serve", "--config", file];
  const collector = traces ? await startCollector() : undefined;
  const env = traces ? { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } : {};
  if (via === "stdio")
    return { launch: { command: process.execPath, args: [...args, "--stdio"], cwd: folder, env } };
  const before = await collector?.count();
  const started = await startProcess({
    args: [...args, "--port", "0"],
    cwd: folder,
    env,
    ready: /listening on (\S+)/,
  });
  const [, url] = started.match;
  const viewOf = (profile) => `${url}/${profile}`;
  const close = async () => {
    await started.close();
    // What is said to be on must be on.
    if (collector !== undefined && (await collector.count()) === before) throw new Error("it traced nothing");
  };
  return { url, viewOf, pid: started.pid, close, lastWords: started.lastWords };
}
