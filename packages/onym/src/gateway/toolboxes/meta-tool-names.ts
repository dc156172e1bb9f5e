// The names of the gateway's own tools, by profile (GW-11, NAME-6).

import type { Profile } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { matchesProfile } from "@onym/core/profiles";

export const META_TOOLS = [
  "list_toolboxes",
  "open_toolbox",
  "close_toolbox",
  "find_tools",
  "use_tool",
] as const;

export type MetaTool = (typeof META_TOOLS)[number];

export type MetaToolNames = ReadonlyMap<MetaTool, string>;

export interface MetaNameOptions {
  /** The name under which the client registered the gateway. */
  readonly as?: string;
  /** Whether a tool of the catalog has this public name. */
  readonly isTaken?: (name: string) => boolean;
  /** The config is a file of mcp-workbench. */
  readonly isWorkbench?: boolean;
}

/** The prefix of mcp-workbench's meta tools (BOX-9). */
const WORKBENCH = "workbench";

/**
 * The meta tools' names for a profile. A client that adds the gateway's alias to every name already shows
 * whose `find_tools` it is. If the client does not (it adds nothing, or only a number, or only counts its
 * prefix), the names stand beside those of every other server and take the gateway's own prefix. They also
 * take it if a tool of the catalog has one of the names. All take it or none does, so that they read as a
 * family. Users of an mcp-workbench file have prompts and allow lists with `workbench_` names, so they see
 * these.
 * @example
 * metaToolNames(claudeCode).get("find_tools"); // "find_tools", sent as mcp__onym__find_tools
 * metaToolNames(openai).get("find_tools"); // "onym_find_tools"
 */
export function metaToolNames(profile: Profile, options: MetaNameOptions = {}): MetaToolNames {
  const { as = DEFAULT_ALIAS, isTaken = () => false, isWorkbench = false } = options;
  const families = [
    ...(isWorkbench ? [(base: MetaTool) => prefixedName(base, WORKBENCH)] : []),
    ...(showsAlias(profile) ? [bareName] : []),
    (base: MetaTool) => prefixedName(base, as),
    // The alias may not be legal in a name, and short limits may leave no room for a prefix.
    (base: MetaTool) => prefixedName(base, DEFAULT_ALIAS),
    bareName,
  ].map((nameOf) => META_TOOLS.map((base) => spell(nameOf(base), profile)));
  const isLegal = (name: string): boolean => matchesProfile(name, profile, as);
  const family =
    families.find((names) => names.every((name) => isLegal(name) && !isTaken(name))) ??
    families.find((names) => names.every(isLegal)) ??
    META_TOOLS;
  return new Map(META_TOOLS.map((base, at) => [base, freeName(family[at] ?? base, isTaken)]));
}

/**
 * The meta tool that a caller means: by its shown name, or by another spelling that the naming core reserves.
 */
export function metaToolNamed(
  name: string,
  names: MetaToolNames,
  as: string = DEFAULT_ALIAS,
): MetaTool | undefined {
  return (
    META_TOOLS.find((base) => names.get(base) === name) ??
    META_TOOLS.find((base) => base === name || prefixedName(base, as) === name)
  );
}

/**
 * The meta tool that users of mcp-workbench mean by a name. Such names are not reserved, so look for tools
 * first.
 */
export function workbenchToolNamed(name: string): MetaTool | undefined {
  return META_TOOLS.find((base) => prefixedName(base, WORKBENCH) === name);
}

/** Every spelling of a meta tool's name under an alias: bare, prefixed, and each in one word. */
export function formsOf(base: MetaTool, as: string): readonly string[] {
  return [bareName(base), prefixedName(base, as)].flatMap((name) => [name, camelCase(name)]);
}

function showsAlias({ client }: Profile): boolean {
  return client.countsOnly !== true && `${client.prefix}${client.suffix}`.includes("{server}");
}

function bareName(base: MetaTool): string {
  return base;
}

function prefixedName(base: MetaTool, prefix: string): string {
  return `${prefix}_${base}`;
}

/** Clients that accept only letters and digits get `findTools`. */
function spell(name: string, profile: Profile): string {
  return profile.rules.shape === "camel" ? camelCase(name) : name;
}

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, first: string) => first.toUpperCase());
}

function freeName(name: string, isTaken: (name: string) => boolean): string {
  if (!isTaken(name)) return name;
  const stem = name.includes("_") ? `${name}_` : name;
  let count = 2;
  while (isTaken(`${stem}${count}`)) count++;
  return `${stem}${count}`;
}
