// onym connect alone: the clients on this machine, and whether Onym is registered in them.

import { escapeText } from "@onym/core";
import type { ExitCode } from "../../command.js";
import { type Cell, formatTable } from "../../output/format-table.js";
import { countNoun } from "../../output/wording.js";
import { nameProgram, programName } from "../../package-folder.js";
import { type Terminal, writeJson } from "../../terminal.js";
import type { Client } from "../clients/client.js";
import type { Machine } from "../clients/client-paths.js";
import { CLIENTS } from "../clients/find-client.js";
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
  if (json === true) {
    await writeJson(terminal, {
      clients: found.map(({ client, state, file, servers }) => ({ client: client.id, state, file, servers })),
    });
    return 0;
  }
  if (found.length === 0) {
    const how = nameProgram("onym init --client lists the clients that Onym knows.", terminal.env);
    terminal.err(`No client was found on this machine. ${how}\n`);
    return 0;
  }
  const head: readonly Cell[] = ["CLIENT", "FILE", "STATE"].map((text) => ({ text, style: "dim" }));
  const rows = found.map((one): readonly Cell[] => [
    { text: one.client.id, style: "bold" },
    one.shown,
    describe(one),
  ]);
  await terminal.out(`${formatTable([head, ...rows], terminal.paint).join("\n")}\n`);
  const next = found.find(({ state }) => state === "servers") ?? found.find(({ state }) => state === "empty");
  if (next !== undefined) await terminal.out(`\nNext: ${programName()} connect ${next.client.id}\n`);
  return 0;
}

/** Those in which Onym is registered, by whomever. */
export function listClientsWithOnym(machine: Machine): readonly Client[] {
  return CLIENTS.flatMap((client) => findConnection(client, machine))
    .filter(({ state }) => state === "connected")
    .map(({ client }) => client);
}

function findConnection(client: Client, machine: Machine): readonly Connection[] {
  if (client.files.length === 0) return [];
  const read = readClient(client, machine);
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
