// The files in which clients keep what a user allowed, asks about or denied, with new names for old ones.

import { resolvePlace } from "../../../clients/client-paths.js";
import { CLIENTS } from "../../../clients/find-client.js";
import { readTextFile } from "../../../config/files/read-text-file.js";
import type { Terminal } from "../../../output/terminal.js";
import { type FileRewrite, rewriteFile } from "../mentions/rewrite-files.js";
import { kindOf } from "../mentions/text-files.js";
import type { NamePairs } from "./name-pairs.js";

/**
 * Beside the files in which clients keep their servers; places as in client-paths.ts. Read 2026-11-17 in the documentation of
 * Copilot CLI (cli-config-dir-reference), Cursor (reference/permissions) and Goose (guides/config-files). Those of Claude Code,
 * Gemini CLI, OpenCode and VS Code were not checked.
 */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  "claude-code": [
    "{project}/.claude/settings.json",
    "{project}/.claude/settings.local.json",
    "{home}/.claude/settings.json",
  ],
  "copilot-cli": ["{copilot}/permissions-config.json", "{copilot}/settings.json", "{copilot}/config.json"],
  cursor: [
    "{project}/.cursor/cli.json",
    "{project}/.cursor/permissions.json",
    "{home}/.cursor/cli-config.json",
    "{home}/.cursor/permissions.json",
  ],
  "gemini-cli": ["{project}/.gemini/settings.json", "{home}/.gemini/settings.json"],
  goose: ["{xdg}/goose/permission.yaml", "{appData}/Block/goose/config/permission.yaml"],
  opencode: ["{project}/opencode.json", "{project}/opencode.jsonc", "{xdg}/opencode/opencode.json"],
  vscode: ["{project}/.vscode/settings.json", "{appData}/Code/User/settings.json"],
};

export interface RewrittenList {
  /** The client's profile. */
  readonly client: string;
  readonly rewrite: FileRewrite;
}

/** Clients whose lists may be looked at, as ids of profiles. */
export const LISTING_CLIENTS: readonly string[] = [
  ...new Set([...Object.keys(LISTS), ...CLIENTS.filter(({ files }) => files.length > 0).map(({ id }) => id)]),
];

/** Files that are missing or cannot be read are passed over: nothing of them would be changed. */
export function rewriteAllowLists(
  { clients }: Pick<NamePairs, "clients">,
  { env, cwd }: Pick<Terminal, "env" | "cwd">,
): readonly RewrittenList[] {
  const machine = { platform: process.platform, env, project: cwd };
  const seen = new Set<string>();
  return placesOfClients().flatMap(({ id, place }): readonly RewrittenList[] => {
    const path = resolvePlace(place, machine);
    const names = clients.get(id);
    if (names === undefined || names.size === 0 || seen.has(path)) return [];
    seen.add(path);
    const read = readTextFile(path);
    if ("reason" in read) return [];
    const rewrite = rewriteFile({ path, text: read.text, kind: kindOf(path) }, names);
    return rewrite === undefined ? [] : [{ client: id, rewrite }];
  });
}

function placesOfClients(): readonly { readonly id: string; readonly place: string }[] {
  const servers = CLIENTS.flatMap(({ id, files }) => files.map(({ place }) => ({ id, place })));
  const lists = Object.entries(LISTS).flatMap(([id, places]) => places.map((place) => ({ id, place })));
  return [...lists, ...servers];
}
