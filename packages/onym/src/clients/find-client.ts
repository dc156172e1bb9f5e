// The clients that Onym can read from or be registered in, by id.

import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import { readTextFile } from "../config/files/read-text-file.js";
import { didYouMean } from "../config/json/near-text.js";
import { OnymError } from "../model/onym-error.js";
import type { Client } from "./client.js";
import { type Machine, resolveFile } from "./client-paths.js";
import { EDITOR_CLIENTS } from "./known/editor-clients.js";
import { HOSTED_CLIENTS } from "./known/hosted-clients.js";
import { TERMINAL_CLIENTS } from "./known/terminal-clients.js";
import { type ReadFile, readClientFile } from "./read-client-file.js";
import { loadSwitches } from "./server-switches.js";

/** By id. */
export const CLIENTS: readonly Client[] = [...EDITOR_CLIENTS, ...TERMINAL_CLIENTS, ...HOSTED_CLIENTS].sort(
  (a, b) => (a.id < b.id ? -1 : 1),
);

/** Names by which people also call them. */
const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ["code", "vscode"],
  ["vs-code", "vscode"],
  ["copilot", "vscode"],
  ["gemini", "gemini-cli"],
  ["openai", "openai-hosted-mcp"],
  ["anthropic", "anthropic-mcp-connector"],
  ["qwen", "qwen-code"],
  ["roo", "roo-code"],
  ["kimi", "kimi-code"],
  ["kimi-cli", "kimi-code"],
  ["droid", "factory"],
  ["vibe", "mistral-vibe"],
  ["lmstudio", "lm-studio"],
  ["kiro-cli", "kiro"],
  ["agy", "antigravity"],
  ["kilo", "kilo-code"],
  ["inspector", "mcp-inspector"],
]);

/** @throws OnymError `usage`, with the nearest id, or with those that can be connected where none is near. */
export function clientOf(text: string): Client {
  const wanted = text.toLowerCase();
  const id = OTHER_NAMES.get(wanted) ?? wanted;
  const client = CLIENTS.find((one) => one.id === id);
  if (client === undefined) throw unknownClient(text);
  return client;
}

function unknownClient(text: string): OnymError {
  const offered = CLIENTS.filter(({ retired }) => retired === undefined);
  const ids = offered.map(({ id }) => id);
  const otherNames = [...OTHER_NAMES].flatMap(([name, id]) => (ids.includes(id) ? [name] : []));
  const longer = ids.filter((id) => id.startsWith(`${text.toLowerCase()}-`));
  const near =
    longer.length > 0 ? `Did you mean ${longer.join(" or ")}? ` : didYouMean(text, [...ids, ...otherNames]);
  const connectable = offered.filter(({ files }) => files.length > 0).map(({ id }) => id);
  const hint =
    near === ""
      ? `These can be connected: ${connectable.join(", ")}.`
      : `${near}onym init --client lists all clients.`;
  return new OnymError("usage", `There is no client ${quoteText(text)}.`, hint);
}

// The files of clients that exist on this machine, read.

export interface FoundFile {
  readonly client: Client;
  readonly file: string;
  readonly read: ReadFile;
}

/** In the order in which they count: what belongs to this folder first, then by client. */
export function findClientFiles(machine: Machine): readonly FoundFile[] {
  const seen = new Set<string>();
  const places = CLIENTS.flatMap((client) => client.files.map((at) => ({ client, at })));
  const inProject = places.filter(({ at }) => isOfProject(at));
  const forUser = places.filter(({ at }) => !isOfProject(at));
  return [...inProject, ...forUser].flatMap(({ client, at }) => {
    const file = resolveFile(at, machine);
    // In the home folder, a project's file and the user's own may be one.
    if (seen.has(resolve(file))) return [];
    seen.add(resolve(file));
    const text = readTextFile(file);
    if ("reason" in text) return text.isMissing ? [] : [{ client, file, read: { reason: text.reason } }];
    const others = loadSwitches(client.id, { path: file, isOwn: false }, machine);
    const read = others.ok
      ? readClientFile(text.text, {
          format: at.format,
          project: machine.project,
          at,
          switches: others.value.filter(({ isForProjects }) => !isForProjects || isOfProject(at)),
        })
      : { reason: `${others.file} may switch its servers off, and cannot be read: ${others.reason}` };
    // Settings without a word about servers are no find.
    if ("servers" in read && read.servers === undefined) return [];
    return [{ client, file, read }];
  });
}

function isOfProject({ place }: Client["files"][number]): boolean {
  return place.startsWith("{project}");
}
