// Onym itself, as it is by default and with features off one by one.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
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
  onym: { label: "everything on", config: { policy: POLICY } },
  "onym-no-audit": { label: "audit and store off", config: { policy: POLICY, store: "none" } },
  "onym-no-policy": { label: "policy off", config: {} },
  "onym-bare": {
    label: "store, policy, detection off",
    config: { store: "none", naming: { detect: false, references: false } },
  },
};

/** `programs`: label → path of `bin/onym.js`; an empty label for the only one. */
export function onymTargets(programs) {
  return [...programs].flatMap(([name, program]) =>
    Object.entries(KINDS).map(([kind, { label, config }]) => ({
      id: name === "" ? kind : `${name}:${kind}`,
      kind,
      label: `Onym${name === "" ? "" : ` ${name}`}, ${label}`,
      ins: ["http", "stdio"],
      outs: ["http", "stdio"],
      eras: ["legacy", "modern"],
      many: true,
      /** For commands that are no gateway. */
      program: resolve(program),
      start: (setup) => startOnym({ ...setup, program: resolve(program), config }),
    })),
  );
}

async function startOnym({ program, config, folder, servers, via, nodeArgs = [] }) {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "onym.json");
  writeFileSync(file, JSON.stringify({ ...config, mcpServers: servers }));
  const args = [...nodeArgs, program, "serve", "--config", file];
  if (via === "stdio")
    return { launch: { command: process.execPath, args: [...args, "--stdio"], cwd: folder } };
  const started = await startProcess({
    args: [...args, "--port", "0"],
    cwd: folder,
    ready: /listening on (\S+)/,
  });
  const [, url] = started.match;
  const viewOf = (profile) => `${url}/${profile}`;
  return { url, viewOf, pid: started.pid, close: started.close, lastWords: started.lastWords };
}
