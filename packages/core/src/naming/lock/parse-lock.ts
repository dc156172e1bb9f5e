// Text → lock. Any error gives a problem with its position; a lock is never read partially.

import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { escapeText, quoteText } from "../../names/escape-text.js";
import type { ParseResult, Problem } from "../../names/problem.js";
import { isNamingStyle, type NamingStyle } from "../wish/style.js";
import { LOCK_FORMAT } from "./format-lock.js";
import { type Lock, type LockedName, type LockedTool, type ProfileLock, readLockedTool } from "./lock.js";

/**
 * Parses a lock. `code` is `lock-newer` for a file from a later version of the program, otherwise `lock-corrupt`.
 *
 * @example
 * const parsed = parseLock(text);
 * if (!parsed.ok) console.error(parsed.problem.message, parsed.problem.fix);
 */
export function parseLock(text: string): ParseResult<Lock> {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const merge = text.includes("<<<<<<<") ? ", but holds the marks of a merge conflict" : "";
    return refuse(
      "",
      `it is not JSON${merge} (${escapeText(error instanceof Error ? error.message : String(error))})`,
    );
  }
  try {
    return { ok: true, value: readLock(json) };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Carries a problem out of nested readers; never leaves this file. */
class Unreadable extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

function readLock(json: unknown): Lock {
  const file = record(json, "the file");
  const format = file.get("onymLock");
  if (typeof format === "number" && format > LOCK_FORMAT) throw new Unreadable(newer(format));
  if (format !== LOCK_FORMAT) fail("onymLock", `should be ${LOCK_FORMAT}`);

  const styles = new Map<string, NamingStyle>();
  for (const [id, style] of record(file.get("profiles"), "profiles")) {
    if (typeof style !== "string" || !isNamingStyle(style))
      fail(`profiles.${id}`, "should be a naming style");
    styles.set(id, style as NamingStyle);
  }
  const names = new Map([...styles.keys()].map((id) => [id, new Map<string, LockedName>()]));
  const tools = new Map<ToolKey, LockedTool>();
  for (const [index, line] of list(file.get("tools"), "tools").entries()) {
    readLine(line, `tools[${index}]`, names, tools);
  }

  const profiles = new Map<string, ProfileLock>();
  for (const [id, style] of styles) profiles.set(id, { style, names: names.get(id) ?? new Map() });
  return { profiles, tools };
}

function readLine(
  json: unknown,
  at: string,
  names: ReadonlyMap<string, Map<string, LockedName>>,
  tools: Map<ToolKey, LockedTool>,
): void {
  const line = record(json, at);
  const key = readKey(line.get("tool"), `${at}.tool`);
  if (tools.has(key)) fail(`${at}.tool`, "stands in the file twice");
  const recorded: LockedTool = {
    canonical: text(line.get("canonical"), `${at}.canonical`),
    digest: text(line.get("digest"), `${at}.digest`),
    ...(line.has("successor") ? { successor: readKey(line.get("successor"), `${at}.successor`) } : {}),
  };
  tools.set(key, readLockedTool(key, recorded));
  const isRetired = readRetired(line, at);
  const put = (profile: string, name: string, entry: LockedName, place: string): void => {
    const table = names.get(profile);
    if (table === undefined) {
      fail(place, `names the profile ${quoteText(profile)}, which the file does not list`);
    } else if (table.has(name)) {
      fail(place, `gives the name ${quoteText(name)} to a second tool`);
    } else {
      table.set(name, entry);
    }
  };

  const shared = line.has("name") ? text(line.get("name"), `${at}.name`) : undefined;
  const others = line.has("others") ? record(line.get("others"), `${at}.others`) : new Map<string, unknown>();
  for (const id of names.keys()) {
    const other = others.get(id);
    const name = others.has(id) ? (other === null ? undefined : text(other, `${at}.others.${id}`)) : shared;
    if (name !== undefined) put(id, name, isRetired(id) ? { key, retired: "removed" } : { key }, at);
  }
  for (const id of others.keys()) if (!names.has(id)) put(id, "", { key }, `${at}.others`);
  for (const [id, old] of line.has("former") ? record(line.get("former"), `${at}.former`) : []) {
    for (const name of list(old, `${at}.former.${id}`)) {
      put(id, text(name, `${at}.former.${id}`), { key, retired: "renamed" }, `${at}.former`);
    }
  }
}

function readRetired(line: ReadonlyMap<string, unknown>, at: string): (profile: string) => boolean {
  const retired = line.get("retired");
  if (retired === undefined || typeof retired === "boolean") return () => retired === true;
  const profiles = new Set(list(retired, `${at}.retired`).map((id) => text(id, `${at}.retired`)));
  return (profile) => profiles.has(profile);
}

function readKey(json: unknown, at: string): ToolKey {
  const [kind, ...rest] = list(json, at).map((part) => text(part, at));
  const [first = "", second = "", third = ""] = rest;
  if (kind === "namespaced" && rest.length === 2) return toolKeyOf({ server: first, raw: second });
  if (kind === "toolbox" && rest.length === 3)
    return toolKeyOf({ toolbox: first, server: second, raw: third });
  return fail(at, 'should be ["namespaced", server, tool] or ["toolbox", toolbox, server, tool]');
}

function record(json: unknown, at: string): ReadonlyMap<string, unknown> {
  if (typeof json !== "object" || json === null || Array.isArray(json))
    return fail(at, "should be an object");
  return new Map(Object.entries(json));
}

function list(json: unknown, at: string): readonly unknown[] {
  return Array.isArray(json) ? json : fail(at, "should be a list");
}

function text(json: unknown, at: string): string {
  return typeof json === "string" ? json : fail(at, "should be a text");
}

function fail(at: string, reason: string): never {
  const refused = refuse(at, reason);
  throw new Unreadable(refused.problem);
}

function refuse(at: string, reason: string): { readonly ok: false; readonly problem: Problem } {
  return {
    ok: false,
    problem: {
      code: "lock-corrupt",
      severity: "error",
      message:
        at === "" ? `The lock cannot be read: ${reason}.` : `The lock cannot be read: ${at} ${reason}.`,
      fix: "Restore the file from version control; it is the record of names already given out.",
    },
  };
}

function newer(format: number): Problem {
  return {
    code: "lock-newer",
    severity: "error",
    message: `The lock has format ${format}; this program knows formats up to ${LOCK_FORMAT}.`,
    fix: "Use the version of Onym that wrote it, or a later one.",
  };
}
