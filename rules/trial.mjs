// One trial: a client, a provider that records, and three nasty servers, directly or behind Onym over stdio or HTTP.

import { spawn } from "node:child_process";
import {
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
import { toolKeyOf } from "../packages/core/dist/identity/index.js";
import { findProfile, parseLock, sentName } from "../packages/core/dist/index.js";
import { detectProfile } from "../packages/core/dist/profiles/index.js";
import { ALL_TOOLS, SERVERS } from "./nasty-tools.mjs";
import { startProvider } from "./provider.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const ONYM = here("../packages/onym/dist/bin.js");

/** `direct`; `stdio` and `http`: through Onym, which detects the client; `own`: through Onym, under its profile by name. */
export const SETTINGS = ["direct", "stdio", "http", "own"];

/** The longest a client may take for one trial. */
const TIMEOUT_MS = 180_000;

/**
 * What one trial came to. `bin` finds a program of the client, `node` runs drivers, `announces` is how the client was seen to
 * announce itself, and `delayMs` how long the servers take to start.
 */
export async function runTrial(client, setting, { bin, node, driver, announces, delayMs = 0 }) {
  const home = mkdtempSync(join(tmpdir(), "onym-rules-"));
  const events = join(home, "events.jsonl");
  const provider = await startProvider({ batch: client.batch });
  const nasty = nastyServers(events, delayMs);
  const gateway = setting === "direct" ? undefined : await openGateway(setting, client, home, nasty);
  try {
    const servers = gateway?.servers ?? nasty;
    const start = client.start({ provider: provider.url, servers, bin, node, driver, home });
    const ended = await runClient(start, home, node);
    const trial = readTrial({ setting, ended, provider: provider.record(), events, home });
    if (gateway === undefined) return trial;
    const id = setting === "own" ? client.profile : detectProfile({ clientInfo: announces }).profile.id;
    return { ...trial, ...compareWithLock(trial, client, id, join(home, "onym.lock")) };
  } finally {
    await gateway?.close();
    await provider.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

function nastyServers(events, delayMs) {
  const entry = (server) => ({
    command: process.execPath,
    args: [here("server.mjs"), server, events, String(delayMs)],
  });
  return Object.fromEntries(SERVERS.map((server) => [server, entry(server)]));
}

async function openGateway(setting, client, home, mcpServers) {
  const config = join(home, "onym.json");
  writeFileSync(config, JSON.stringify({ mcpServers }));
  const serve = [ONYM, "serve", "--config", config];
  if (setting === "stdio")
    return {
      servers: { onym: { command: process.execPath, args: [...serve, "--stdio"] } },
      close: () => undefined,
    };
  const child = spawn(process.execPath, [...serve, "--port", "0"], { stdio: ["ignore", "ignore", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let text = "";
    child.stderr.on("data", (part) => {
      text += part;
      const [, address] = /onym listening on (\S+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.once("exit", () => reject(new Error(`the gateway did not start:\n${text}`)));
  });
  return {
    servers: { onym: { url: setting === "own" ? `${url}/${client.profile}` : url } },
    close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      return ended;
    },
  };
}

/** Runs the client in a home of its own, so that nothing of the user's is read or written. */
async function runClient({ command, args, env = {}, files = {} }, home, node) {
  const work = join(home, "work");
  mkdirSync(work, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), typeof content === "string" ? content : JSON.stringify(content, null, 2));
  }
  const xdg = {
    XDG_CONFIG_HOME: `${home}/.config`,
    XDG_DATA_HOME: `${home}/.local/share`,
    XDG_STATE_HOME: `${home}/.local/state`,
    XDG_CACHE_HOME: `${home}/.cache`,
  };
  const inherited = {
    PATH: `${dirname(node)}:${process.env.PATH}`,
    LANG: "C.UTF-8",
    NO_COLOR: "1",
    CI: "1",
  };
  const child = spawn(command, args, {
    cwd: work,
    env: { ...inherited, HOME: home, ...xdg, ...env },
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
    child.once("exit", (code) => resolve(code ?? -1));
  });
  clearTimeout(timer);
  endAll(home);
  return { code, output };
}

/** Ends the client and what it left running, daemons included: all that runs in the home of this trial, by its id. */
function endAll(home) {
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  for (const id of ids) {
    try {
      const environment = readFileSync(`/proc/${id}/environ`, "utf8").split("\0");
      if (environment.includes(`HOME=${home}`)) process.kill(Number(id), "SIGKILL");
    } catch {
      // It has ended, or is another user's.
    }
  }
}

/**
 * Whether Onym went by the profile that it should, and each name that it gave arrived as the client's own profile foresees. What it gave is in the lock, which also has the names of the profiles that every list tells beside.
 */
function compareWithLock({ names }, client, id, file) {
  const read = existsSync(file) ? parseLock(readFileSync(file, "utf8")) : undefined;
  const given = read?.ok ? read.value.profiles.get(id)?.names : undefined;
  if (given === undefined) return { profile: id, unforeseen: [`no names were given for ${id}`] };
  const profile = findProfile(client.profile);
  const publicNames = new Map([...given].map(([name, { key }]) => [key, name]));
  const unforeseen = names.filter(({ server, raw, sent }) => {
    const name = publicNames.get(toolKeyOf({ server, raw }));
    return sent !== undefined && sentName(name ?? "", profile, "onym") !== sent.replace("|", "__");
  });
  return { profile: id, unforeseen: unforeseen.map(({ server, raw, sent }) => `${server}/${raw}: ${sent}`) };
}

function readTrial({ setting, ended, provider, events, home }) {
  const told = existsSync(events)
    ? readFileSync(events, "utf8")
        .trim()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line))
    : [];
  const first = told.find(({ event }) => event === "initialize");
  const names = ALL_TOOLS.map(({ server, raw, marker }) => {
    const offered = provider.offered.get(marker);
    if (offered === undefined) return { server, raw, lost: true };
    const sent = offered.namespace === undefined ? offered.name : `${offered.namespace}|${offered.name}`;
    const isReached = provider.reached.get(marker) === marker;
    return { server, raw, sent, ...(isReached ? {} : { reached: false }) };
  });
  const listsAfterCall = told
    .slice(told.findIndex(({ event }) => event === "call"))
    .some(({ event }) => event === "list");
  return {
    setting,
    exitCode: ended.code,
    printed: ended.output,
    ...(names.every(({ lost }) => lost) ? { output: tellingPart(withoutPlaces(ended.output, home)) } : {}),
    announces: first?.clientInfo,
    protocol: first?.protocol,
    dialect: provider.dialect,
    takesListChanged: told.some(({ event }) => event === "call") && listsAfterCall,
    builtIn: provider.builtIn,
    toolSearch: provider.builtIn.filter((name) => /tool_?search/i.test(name)),
    names,
  };
}

/** Folders of this machine and addresses of this run say nothing about the client. */
function withoutPlaces(text, home) {
  return text
    .replaceAll(home, "HOME")
    .replace(/(file:\/\/)?\/[^\s"'()]*\/node_modules\//g, "")
    .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1");
}

/** From the first line that speaks of an error. */
function tellingPart(text) {
  const lines = text.trim().split("\n");
  const at = lines.findIndex((line) => /error/i.test(line));
  return lines
    .slice(Math.max(at, 0), Math.max(at, 0) + 4)
    .join("\n")
    .slice(0, 600);
}
