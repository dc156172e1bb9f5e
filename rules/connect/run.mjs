// node rules/connect/run.mjs [CLIENT…]: for each client a home with servers and permissions of its own; `onym connect`; the real
// client, started as its user would, lists and calls through Onym; `--undo`; the same bytes. Writes rules/connect/results.

import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { CLIENTS } from "../clients.mjs";
import { openInstaller } from "../install.mjs";
import { ALL_TOOLS, SERVERS } from "../nasty-tools.mjs";
import { startProvider } from "../provider.mjs";
import { CONNECTED, DENIED } from "./permitted.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const say = (text) => process.stderr.write(`${text}\n`);
const ONYM = here("../../packages/onym/dist/bin.js");
const TIMEOUT_MS = 240_000;

const wanted = process.argv.slice(2);
const chosen = CLIENTS.filter(({ id }) => id in CONNECTED && (wanted.length === 0 || wanted.includes(id)));
const installer = openInstaller(say);
let isFine = true;
try {
  for (const client of chosen) isFine = (await tryClient(client)) && isFine;
} finally {
  installer.close();
}
process.exitCode = isFine ? 0 : 1;

async function tryClient(client) {
  const installed = installer.install(client);
  if (installed === undefined) {
    say(`connect: ${client.id} could not be installed`);
    return false;
  }
  const result = await runTrial(client, installed);
  installer.remove(client);
  const { isRight, ...shown } = result;
  say(`connect: ${client.id} ${installed.version}: ${isRight ? "right" : "wrong"} ${JSON.stringify(shown)}`);
  mkdirSync(here("results"), { recursive: true });
  writeFileSync(
    here(`results/${client.id}.json`),
    `${JSON.stringify({ client: client.id, version: installed.version, ...shown, isRight }, null, 2)}\n`,
  );
  return isRight;
}

async function runTrial(client, installed) {
  const root = mkdtempSync(join(tmpdir(), "onym-connect-trial-"));
  const [home, used] = [join(root, "home"), join(root, "used")];
  const provider = await startProvider();
  const { client: id, file, denies = false, files: before, args: otherArgs } = CONNECTED[client.id];
  try {
    const entry = (server) => ({
      command: process.execPath,
      args: [here("../server.mjs"), server, join(root, "events.jsonl")],
    });
    const servers = Object.fromEntries(SERVERS.map((server) => [server, entry(server)]));
    const startIn = (place) => client.start({ provider: provider.url, servers, ...installed, home: place });
    const files = before(startIn(home).files ?? {});
    for (const [path, content] of Object.entries(files)) writeIn(home, path, content);
    mkdirSync(join(home, "work"), { recursive: true });
    const originals = Object.keys(files).map((path) => [path, readFileSync(join(home, path))]);

    // A project's file may be somebody else's, so its user trusts it first (CFG-6).
    if (file !== undefined) {
      const trusted = onym(home, "trust", join(home, file), "--yes");
      if (trusted.status !== 0) return { isRight: false, problem: trusted.stderr.slice(0, 400) };
    }
    const connected = onym(
      home,
      "connect",
      id,
      "--yes",
      "--json",
      ...(file === undefined ? [] : ["--file", join(home, file)]),
    );
    if (connected.status !== 0) return { isRight: false, problem: connected.stderr.slice(0, 400) };
    const report = JSON.parse(connected.stdout);
    // The client runs in a copy: what it writes into its own files is not Onym's to undo.
    cpSync(home, used, { recursive: true });
    const { command, args, env } = startIn(used);
    const ended = await runClient(
      { command, args: otherArgs === undefined ? args : otherArgs(args), env },
      used,
      installed.node,
    );
    const undone = onym(home, "connect", id, "--undo", "--json");
    const isSame = originals.every(
      ([path, bytes]) => existsSync(join(home, path)) && readFileSync(join(home, path)).equals(bytes),
    );
    return judge({
      report,
      record: provider.record(),
      ended,
      isUndone: undone.status === 0 && isSame,
      denies,
    });
  } finally {
    await provider.close();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function judge({ report, record, ended, isUndone, denies }) {
  const offered = ALL_TOOLS.filter(({ marker }) => record.offered.has(marker));
  const reached = offered.filter(({ marker }) => record.reached.get(marker) === marker);
  const isDeniedHidden = !record.offered.has(DENIED.marker);
  const { carried, left } = report.permissions;
  const isMoved = report.servers.every(({ outcome }) => outcome !== "stays");
  const expected = ALL_TOOLS.length - (denies ? 1 : 0);
  const isRight =
    isMoved &&
    isUndone &&
    isDeniedHidden === denies &&
    offered.length === expected &&
    reached.length >= expected - left.length;
  return {
    servers: report.servers.length,
    offered: offered.length,
    reached: reached.length,
    denied: denies ? (isDeniedHidden ? "hidden" : "offered") : "none",
    permissions: { carried: carried.length, left: left.length },
    undo: isUndone ? "the same bytes" : "other bytes",
    ...(isRight ? {} : { exitCode: ended.code, output: ended.output.slice(-500) }),
    isRight,
  };
}

function writeIn(home, path, content) {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
}

function environmentOf(home, node, more = {}) {
  return {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    CI: "1",
    HOME: home,
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    XDG_CACHE_HOME: `${home}/.cache`,
    ...more,
  };
}

function onym(home, ...args) {
  const places = {
    CODEX_HOME: `${home}/.codex`,
    KIMI_CODE_HOME: `${home}/.kimi-code`,
    COPILOT_HOME: `${home}/.copilot`,
  };
  return spawnSync(process.execPath, [ONYM, ...args], {
    cwd: join(home, "work"),
    env: environmentOf(home, process.execPath, places),
    encoding: "utf8",
  });
}

async function runClient({ command, args, env = {} }, home, node) {
  const child = spawn(command, args, {
    cwd: join(home, "work"),
    env: environmentOf(home, node, env),
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => (output = (output + part).slice(-4000)));
  const timer = setTimeout(() => endAll(home), TIMEOUT_MS);
  const code = await new Promise((resolve) => {
    child.once("error", (error) => {
      output += String(error);
      resolve(-1);
    });
    child.once("exit", (ended) => resolve(ended ?? -1));
  });
  clearTimeout(timer);
  endAll(home);
  return { code, output };
}

/** Ends the client and what it left running: all that runs in the home of this trial, by its id. */
function endAll(home) {
  for (const id of readdirSync("/proc").filter(
    (name) => /^\d+$/.test(name) && Number(name) !== process.pid,
  )) {
    try {
      const environment = readFileSync(`/proc/${id}/environ`, "utf8").split("\0");
      if (environment.includes(`HOME=${home}`)) process.kill(Number(id), "SIGKILL");
    } catch {
      // It has ended, or is another user's.
    }
  }
}
