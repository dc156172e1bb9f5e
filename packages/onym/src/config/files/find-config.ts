// Which file is read: the one that is named, else the first in the current folder, else the user's own (CFG-1, CFG-6).

import { existsSync, realpathSync } from "node:fs";
import { basename, resolve } from "node:path";
import { quoteText } from "@onym/core";
import type { Environment } from "../json/expand-variables.js";
import { type ClientRegistration, readRegistration } from "./client-registration.js";
import { homeOf, userConfigFile } from "./user-folders.js";

/** In the order they are looked for. */
export const CONFIG_FILES = [
  "onym.json",
  ".mcp.json",
  "claude_desktop_config.json",
  ".cursor/mcp.json",
  ".vscode/mcp.json",
  "mcp.json",
  "workbench-config.json",
] as const;

/**
 * Who chose the file: `named` by the user who started Onym (`--config`, `WORKBENCH_CONFIG`), the user's `own`, or `found` in
 * the current folder, where somebody else may have put it.
 */
export type ConfigOrigin = "named" | "own" | "found";

export interface ConfigChoice {
  /** As messages name it; relative to the current folder, or absolute. */
  readonly file: string;
  readonly origin: ConfigOrigin;
  /** It is a file of mcp-workbench, where other defaults hold (BOX-9). */
  readonly isWorkbench: boolean;
  /** What its user should know of a client's file here that registers Onym. */
  readonly note?: string;
}

export interface ConfigPlace {
  /** What `--config` says. */
  readonly file?: string | undefined;
  readonly env: Environment;
  readonly cwd: string;
}

/** In home it is not a project's file but Cursor's own, for all projects. */
const OF_USER_IN_HOME = ".cursor/mcp.json";

/** `undefined` where there is none anywhere. A file that is named is not looked for. */
export function chooseConfig({ file, env, cwd }: ConfigPlace): ConfigChoice | undefined {
  if (file !== undefined) return choice(file, "named");
  const { WORKBENCH_CONFIG: workbench } = env;
  if (workbench !== undefined && workbench !== "")
    return { ...choice(workbench, "named"), isWorkbench: true };
  const machine = { platform: process.platform, env };
  const isHome = resolve(cwd) === resolve(homeOf(machine));
  const names = isHome ? CONFIG_FILES.filter((name) => name !== OF_USER_IN_HOME) : CONFIG_FILES;
  const own = userConfigFile(machine);
  const passed: Passed[] = [];
  for (const name of names.filter((each) => existsSync(resolve(cwd, each)))) {
    const registration = isClientFile(name) ? readRegistration(resolve(cwd, name), cwd) : undefined;
    if (registration === undefined) return { ...choice(name, "found"), ...noteBeside(passed) };
    const { config, others } = registration;
    if (config.kind === "same" && others.length > 0) return withOnym({ name, registration });
    passed.push({ name, registration });
    if (config.kind === "followed")
      return {
        ...choice(config.file, isSameFile(config.file, own) ? "own" : "found"),
        ...noteBeside(passed),
      };
  }
  if (existsSync(own)) return { ...choice(own, "own"), ...noteBeside(passed) };
  const last = passed.find(({ registration }) => registration.others.length > 0);
  return last === undefined ? undefined : withOnym(last);
}

/** A client's file that registers Onym: whatever else stands in it, it is the client's. */
interface Passed {
  readonly name: string;
  readonly registration: ClientRegistration;
}

function noteBeside(passed: readonly Passed[]): Pick<ConfigChoice, "note"> {
  const beside = passed.find(({ registration }) => registration.others.length > 0);
  if (beside === undefined) return {};
  const { others } = beside.registration;
  const ids = others.map((id) => quoteText(id)).join(", ");
  const [are, them] = others.length === 1 ? ["is", "it"] : ["are", "them"];
  return {
    note: `${quoteText(beside.name)} registers Onym, so this is about another config. Its ${ids} ${are} not behind Onym: onym connect moves ${them}.`,
  };
}

/** The servers beside Onym are its config; Onym itself is none of them. */
function withOnym({ name, registration }: Passed): ConfigChoice {
  const note = `${quoteText(registration.id)} in ${quoteText(name)} is Onym itself, and no server of this config.`;
  return { ...choice(name, "found"), note };
}

function isSameFile(one: string, other: string): boolean {
  try {
    return realpathSync(one) === realpathSync(other);
  } catch {
    return false;
  }
}

function choice(file: string, origin: ConfigOrigin): ConfigChoice {
  return { file, origin, isWorkbench: /workbench/i.test(basename(file)) };
}

/** Files that belong to a client, so that keys Onym does not know at their top are the client's own. */
const CLIENT_FILES = new Set([
  ".mcp.json",
  "claude_desktop_config.json",
  "mcp.json",
  "workbench-config.json",
  ".claude.json",
  "settings.json",
  "mcp_config.json",
  "mcp-config.json",
  "mcp_settings.json",
  "cline_mcp_settings.json",
]);

export function isClientFile(file: string): boolean {
  return CLIENT_FILES.has(basename(file));
}
