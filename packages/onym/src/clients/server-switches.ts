// Where a client says that a server is off, outside of the server's entry: in the same file, in others of the user, in those of a
// project. Held against the sources of Gemini CLI and Qwen Code (2026-08-22) and the documentation of Claude Code.

import { resolve } from "node:path";
import { matchesGlob } from "../config/sections/tool-filters.js";
import { readDocument } from "../documents/edit-document.js";
import { readFileBytes } from "../documents/replace-file.js";
import { type Machine, resolvePlace } from "./client-paths.js";
import { fieldOf, namesIn, objectOf } from "./server-maps.js";

/** One place that says which servers are off. */
export interface ServerSwitch {
  /** The list, as people write it: `mcp.excluded`. */
  readonly list: string;
  /** The folder where it holds; `undefined` where it holds in all. */
  readonly folder: string | undefined;
  /** It is about the servers of a project's file alone. */
  readonly isForProjects: boolean;
  readonly isOff: (id: string) => boolean;
}

/** A switch of another file than that of the servers. */
export interface PlacedSwitch extends ServerSwitch {
  readonly file: string;
}

/**
 * What one file says. `mcp.allowed` names those that are on, where it is a list. Gemini CLI compares without case, Qwen Code takes
 * patterns.
 */
export function switchesIn(value: unknown): readonly ServerSwitch[] {
  const everywhere = { folder: undefined, isForProjects: false };
  const lists = [
    ["mcp.excluded", fieldOf(fieldOf(value, "mcp"), "excluded")],
    ["excludeMCPServers", fieldOf(value, "excludeMCPServers")],
  ] as const;
  const allowed = [
    ["mcp.allowed", fieldOf(fieldOf(value, "mcp"), "allowed")],
    ["allowMCPServers", fieldOf(value, "allowMCPServers")],
  ] as const;
  return [
    ...lists.flatMap(([list, names]) => offByNames(names, { ...everywhere, list })),
    ...allowed.flatMap(([list, names]) =>
      Array.isArray(names) ? [{ ...everywhere, list, isOff: (id: string) => !isNamed(id, names) }] : [],
    ),
    ...ofClaudeCode(value),
  ];
}

/** Per folder, in its own file: any server, and those of the folder's `.mcp.json`, which its settings may reject as well. */
function ofClaudeCode(value: unknown): readonly ServerSwitch[] {
  const list = "disabledMcpjsonServers";
  return [
    ...offByNames(fieldOf(value, list), { list, folder: undefined, isForProjects: true }),
    ...Object.entries(objectOf(fieldOf(value, "projects")) ?? {}).flatMap(([folder, own]) =>
      ["disabledMcpServers", list].flatMap((key) =>
        offByNames(fieldOf(own, key), { list: key, folder, isForProjects: key === list }),
      ),
    ),
  ];
}

function offByNames(names: unknown, about: Omit<ServerSwitch, "isOff">): readonly ServerSwitch[] {
  return namesIn(names).length === 0 ? [] : [{ ...about, isOff: (id) => isNamed(id, names) }];
}

function isNamed(id: string, names: unknown): boolean {
  const plain = id.trim().toLowerCase();
  return namesIn(names).some((name) => matchesGlob(plain, name.trim().toLowerCase()));
}

/** Gemini CLI keeps those that its command switched off in a file of their own, by id. */
function ofEnablement(value: unknown): readonly ServerSwitch[] {
  const off = Object.entries(objectOf(value) ?? {}).flatMap(([id, state]) =>
    fieldOf(state, "enabled") === false ? [id] : [],
  );
  return offByNames(off, { list: "enabled", folder: undefined, isForProjects: false });
}

const ENABLEMENT = "{home}/.gemini/mcp-server-enablement.json";

/** By client: every file that can switch a server off, whichever file the server stands in. */
const PLACES: ReadonlyMap<string, readonly string[]> = new Map([
  ["gemini-cli", ["{home}/.gemini/settings.json", "{project}/.gemini/settings.json", ENABLEMENT]],
  ["qwen-code", ["{home}/.qwen/settings.json", "{project}/.qwen/settings.json"]],
  [
    "claude-code",
    [
      "{home}/.claude.json",
      "{home}/.claude/settings.json",
      "{project}/.claude/settings.json",
      "{project}/.claude/settings.local.json",
    ],
  ],
]);

type LoadedSwitches =
  | { readonly ok: true; readonly value: readonly PlacedSwitch[] }
  | { readonly ok: false; readonly file: string; readonly reason: string };

/** What the other files of a client say of the servers in this one. `isOwn`: it is the user's, in no project. */
export function loadSwitches(
  client: string,
  opened: { readonly path: string; readonly isOwn: boolean },
  machine: Machine,
): LoadedSwitches {
  const found: PlacedSwitch[] = [];
  const seen = new Set([resolve(opened.path)]);
  for (const place of PLACES.get(client) ?? []) {
    const file = resolve(resolvePlace(place, machine));
    if (seen.has(file)) continue;
    seen.add(file);
    const folder = place.startsWith("{project}") ? machine.project : undefined;
    const read = readFileBytes(file);
    if (read.kind === "missing") continue;
    const parsed = read.kind === "bytes" ? readDocument(read.text, "json") : { ok: false, ...read };
    if ("reason" in parsed) {
      // It is about this folder alone, and is named with the permission lists.
      if (opened.isOwn && folder !== undefined) continue;
      return { ok: false, file, reason: parsed.reason };
    }
    const switches = place === ENABLEMENT ? ofEnablement(parsed.value) : switchesIn(parsed.value);
    found.push(...switches.map((one) => ({ ...one, folder: one.folder ?? folder, file })));
  }
  return { ok: true, value: found };
}
