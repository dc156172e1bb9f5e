// The longest turn of the gateway's event loop with many tools, prompts, resources and templates, phase by phase (SAFE-4): npm run bench:turns -- [--tools N]
// [--runs N] [--rules N] [--name-length N] [--name-pad HEX] [--resource-rules N] [--uri-length N] [--profile]. CPU time of the main thread, the least and the
// most of several runs; Linux only. Build first. `--name-length 330 --name-pad 202e`: names that are mostly invisible, as long as they may be.

import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { openClient, startGateway } from "./start-gateway.mjs";

const { values } = parseArgs({
  options: {
    tools: { type: "string", default: "10000" },
    runs: { type: "string", default: "3" },
    rules: { type: "string", default: "2" },
    "name-length": { type: "string", default: "0" },
    "name-pad": { type: "string", default: "78" },
    "resource-rules": { type: "string", default: "0" },
    "uri-length": { type: "string", default: "0" },
    profile: { type: "boolean", default: false },
  },
});
const tools = Number(values.tools);
const runs = Number(values.runs);
const here = fileURLToPath(new URL(".", import.meta.url));
/** The gateway has nothing more to do when it did nothing for so long. */
const QUIET_MS = 1_000 + tools / 50;
const PROFILED_MS = 20;

/** Hides a tenth of the tools; further rules are about parts of names. */
const POLICY = {
  rules: [
    { effect: "deny", tool: "big@1/*_7" },
    { effect: "ask", annotations: { destructiveHint: true } },
    ...Array.from({ length: Number(values.rules) - 2 }, (_, at) => ({
      effect: at % 2 === 0 ? "ask" : "deny",
      tool: `big@1/*_${at}3*`,
    })),
    ...Array.from({ length: Number(values["resource-rules"]) }, (_, at) => ({
      effect: at % 2 === 0 ? "ask" : "deny",
      resource: at % 4 < 2 ? `file:///home/${at}/*` : `*/secret_${at}*`,
    })),
  ],
};

const pad = String.fromCodePoint(Number.parseInt(values["name-pad"], 16));
const named = (name) => name.padEnd(Number(values["name-length"]), pad);

const worst = new Map();
for (let run = 0; run < runs; run += 1) await measure();
process.stdout.write(`${tools} tools, ${runs} runs: ms of CPU time of the longest turn, least and most\n`);
for (const [phase, all] of worst)
  process.stdout.write(
    `${phase.padEnd(60)} ${Math.min(...all)
      .toFixed(0)
      .padStart(5)} ${Math.max(...all)
      .toFixed(0)
      .padStart(5)}\n`,
  );

async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "onym-turns-"));
  try {
    const config = {
      mcpServers: {
        big: {
          command: process.execPath,
          args: [join(here, "server.mjs"), String(tools), values["name-length"], values["uri-length"], pad],
        },
      },
      limits: {
        listEntries: tools,
        listBytes: 2 ** 30,
        serverBytes: 2 ** 30,
        connectionUnreadBytes: 2 ** 30,
        callerUnreadBytes: 2 ** 30,
        unreadBytes: 2 ** 30,
        listMs: 600_000,
        startMs: 600_000,
      },
    };
    const write = (more) => writeFileSync(join(folder, "onym.json"), JSON.stringify({ ...config, ...more }));
    for (const suffix of ["", ", names on record"]) {
      write({});
      await visit({ suffix, folder, write });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function visit({ suffix, folder, write }) {
  const gateway = await startGateway({ folder, isProfiled: values.profile });
  const phase = async (name, work) => {
    await gateway.probe("arm");
    await work?.();
    while ((await gateway.probe("quiet")) < QUIET_MS) await wait(200);
    note(name + suffix, await gateway.probe("stop"));
  };
  try {
    note(`before it listens${suffix}`, await gateway.probe("stop"));
    await phase("the server is started and listed");
    let first;
    await phase("first list", async () => {
      first = await openClient(gateway.url, "claude-code");
      await first.list();
    });
    await phase("first list of another kind of client", async () =>
      (await openClient(`${gateway.url}/canonical`)).list(),
    );
    await phase("list again", () => first.list());
    await phase("prompts, resources and templates", async () => {
      for (const kind of ["prompts", "resources", "resources/templates"]) await first.ask(`${kind}/list`);
    });
    await phase("a prompt and a resource that are not there", async () => {
      await first.ask("prompts/get", { name: "ask_search_isues_7" });
      await first.ask("resources/read", { uri: "file:///work/7/nothing.md" });
    });
    await phase("first unknown name", () => first.call("search_isues_7"));
    await phase("second unknown name", () => first.call("query_pagse_12"));
    await phase("list changed", () => first.call(`big@1/${named("search_issues_0")}@1`));
    await phase("first list after that", () => first.list());
    await phase("first unknown name after that", () => first.call("search_isues_8"));
    await phase("a rule of policy is added", async () => {
      write({ policy: POLICY });
      await gateway.until("config in force");
    });
    await phase("first list under that policy", () => first.list());
    await phase("prompts, resources and templates under that policy", async () => {
      for (const kind of ["prompts", "resources", "resources/templates"]) await first.ask(`${kind}/list`);
    });
    await phase("list changed under that policy", () => first.call(`big@1/${named("search_issues_0")}@1`));
    await phase("first unknown name under that policy", () => first.call("search_isues_9"));
    await phase("five kinds of clients at once", () =>
      Promise.all(
        ["gemini", "zed", "sep-986", "universal", "roo-code"].map(async (profile) =>
          (await openClient(`${gateway.url}/${profile}`)).list(),
        ),
      ),
    );
  } finally {
    gateway.child.kill("SIGTERM");
    await once(gateway.child, "exit");
  }
}

function note(phase, { turns }) {
  worst.set(phase, [...(worst.get(phase) ?? []), turns[0]?.cpuMs ?? 0]);
  if (!values.profile) return;
  process.stdout.write(`\n# ${phase}: ${turns.map(({ cpuMs }) => cpuMs.toFixed(0)).join(" ")}\n`);
  for (const { cpuMs, hot } of turns)
    if (cpuMs >= PROFILED_MS) process.stdout.write(`${cpuMs.toFixed(1)}: ${hot.join("  ")}\n`);
}
