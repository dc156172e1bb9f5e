// onym connect alone: the clients on this machine, and whether Onym is registered in them.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { escapeText } from "@onym/core";
import type { Client } from "../../../clients/client.js";
import { type Machine, resolveFile } from "../../../clients/client-paths.js";
import { CLIENTS } from "../../../clients/find-client.js";
import { type Cell, formatTable } from "../../../output/format-table.js";
import { nameProgram, programName } from "../../../output/package-folder.js";
import type { ExitCode } from "../../../output/show-error.js";
import { type Terminal, writeJson } from "../../../output/terminal.js";
import { countNoun, shellWord } from "../../../output/wording.js";
import { type OpenedClient, readClient } from "./open-client.js";

type State = "connected" | "servers" | "empty" | "unreadable";

interface Connection {
  readonly client: Client;
  readonly state: State;
  readonly file: string;
  readonly shown: string;
  /** Beside Onym. */
  readonly servers: readonly string[];
  /** Why it cannot be read. */
  readonly reason?: string;
}

export async function listConnections(
  { json }: { readonly json?: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const machine: Machine = { platform: process.platform, env: terminal.env, project: terminal.cwd };
  const found = CLIENTS.flatMap((client) => findConnection(client, machine));
  const inFolder = findInFolder(machine);
  if (json === true) {
    await writeJson(terminal, {
      clients: found.map(({ client, state, file, servers }) => ({ client: client.id, state, file, servers })),
      folder: inFolder.map(({ client, file, servers }) => ({ client: client.id, file, servers })),
    });
    return 0;
  }
  if (found.length === 0) {
    terminal.err(`${nameProgram(explainNone(machine), terminal.env)}\n`);
    for (const one of inFolder) await terminal.out(`${describeInFolder(one)}\n`);
    return 0;
  }
  const head: readonly Cell[] = ["CLIENT", "FILE", "STATE"].map((text) => ({ text, style: "dim" }));
  const rows = found.map((one): readonly Cell[] => [
    { text: one.client.id, style: "bold" },
    one.shown,
    describe(one),
  ]);
  await terminal.out(`${formatTable([head, ...rows], terminal.paint).join("\n")}\n`);
  if (inFolder.length > 0) await terminal.out(`\n${inFolder.map(describeInFolder).join("\n")}\n`);
  const next = found.find(({ state }) => state === "servers") ?? found.find(({ state }) => state === "empty");
  if (next !== undefined) await terminal.out(`\nNext: ${programName()} connect ${next.client.id}\n`);
  return 0;
}

/** Files of clients in this folder that have servers beside Onym; one that several clients read counts once. */
function findInFolder(machine: Machine): readonly Connection[] {
  const ours = CLIENTS.flatMap((client) => findConnection(client, machine)).map(({ file }) => file);
  const seen = new Set(ours);
  return CLIENTS.flatMap((client) =>
    client.files
      .filter(({ place, isOld }) => place.startsWith("{project}/") && isOld !== true)
      .flatMap((file): readonly Connection[] => {
        const path = resolveFile(file, machine);
        if (seen.has(path)) return [];
        const [found] = findConnection(client, machine, path);
        if (found === undefined || found.servers.length === 0) return [];
        seen.add(path);
        return [found];
      }),
  );
}

function describeInFolder({ client, shown, servers }: Connection): string {
  const command = `${programName()} connect ${client.id} --file ${shellWord(shown)}`;
  return `This folder's ${shown} has ${countNoun(servers.length, "server")}: ${command}`;
}

/** By client, the program that starts it. */
const PROGRAMS: ReadonlyMap<string, string> = new Map([
  ["claude-code", "claude"],
  ["codex", "codex"],
  ["copilot-cli", "copilot"],
  ["crush", "crush"],
  ["cursor", "cursor"],
  ["gemini-cli", "gemini"],
  ["goose", "goose"],
  ["opencode", "opencode"],
  ["qwen-code", "qwen"],
  ["vscode", "code"],
]);

function explainNone({ env, platform }: Machine): string {
  const { PATH: path = "" } = env;
  const folders = path.split(delimiter).filter((folder) => folder !== "");
  const ends = platform === "win32" ? [".cmd", ".exe"] : [""];
  const there = [...PROGRAMS].flatMap(([id, program]) =>
    folders.some((folder) => ends.some((end) => existsSync(join(folder, program + end)))) ? [id] : [],
  );
  const [first] = there;
  return first === undefined
    ? "No client config was found. Name a client: onym connect CLIENT; onym init --client lists those that Onym knows."
    : `No client config was found. These are on PATH: ${there.join(", ")}. onym connect ${first} makes its config.`;
}

/** Those in which Onym is registered, by whomever. */
export function listClientsWithOnym(machine: Machine): readonly Client[] {
  return CLIENTS.flatMap((client) => findConnection(client, machine))
    .filter(({ state }) => state === "connected")
    .map(({ client }) => client);
}

function findConnection(client: Client, machine: Machine, named?: string): readonly Connection[] {
  if (client.files.length === 0) return [];
  const read = readClient(client, machine, named);
  if (read.kind === "no-file") return [];
  if (read.kind === "unreadable") {
    const { path, shown, reason } = read;
    return [{ client, state: "unreadable", file: path, shown, servers: [], reason }];
  }
  const { opened } = read;
  if (opened.bytes === undefined) return [];
  const servers = opened.servers.filter(({ isOnym }) => !isOnym).map(({ id }) => id);
  return [{ client, state: stateOf(opened), file: opened.path, shown: opened.shown, servers }];
}

function stateOf({ servers }: OpenedClient): State {
  if (servers.some(({ isOnym }) => isOnym)) return "connected";
  return servers.length === 0 ? "empty" : "servers";
}

function describe({ state, servers, reason }: Connection): Cell {
  const beside = servers.length === 0 ? "" : `: ${servers.map(escapeText).join(", ")}`;
  if (state === "connected")
    return servers.length === 0
      ? { text: "connected", style: "green" }
      : {
          text: `connected, with ${countNoun(servers.length, "server")} beside Onym${beside}`,
          style: "yellow",
        };
  if (state === "unreadable") return { text: `cannot be read: ${escapeText(reason ?? "")}`, style: "yellow" };
  return servers.length === 0
    ? { text: "no servers", style: "dim" }
    : `${countNoun(servers.length, "server")} of its own${beside}`;
}
