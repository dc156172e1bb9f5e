// What becomes of each entry of a client's permission lists when its servers move behind Onym (LOCK-7): deny and ask always go on,
// as a rule on identities or in the client's own list; allow only where exactly one identity is meant. Nothing is guessed.

import { type Profile, quoteText, sentName, type Tool } from "@onym/core";
import { matchesGlob } from "../../../../config/sections/tool-filters.js";
import type { Change, Effect, OwnRule, PermissionForm } from "./own-rule.js";

/** A server that moves. */
export interface MovedServer {
  /** Its id in the client. */
  readonly before: string;
  /** Its id in Onym's config. */
  readonly after: string;
  /** `undefined` where they could not be asked for. */
  readonly tools: readonly Tool[] | undefined;
}

/** A rule for Onym's policy. */
interface CarriedRule {
  readonly effect: "ask" | "deny";
  readonly tool: readonly string[];
  readonly server?: string;
  readonly note: string;
}

interface CarriedEntry {
  readonly rule: OwnRule;
  readonly to: "policy" | "client";
}

export interface CarryPlan {
  readonly policy: readonly CarriedRule[];
  readonly changes: ReadonlyMap<PermissionForm, readonly Change[]>;
  readonly carried: readonly CarriedEntry[];
  readonly left: readonly LeftEntry[];
}

interface LeftEntry {
  readonly rule: OwnRule;
  readonly reason: string;
  /** The tools that it means now and that are neither denied nor carried over, as the client's list would name them. */
  readonly instead: readonly string[];
}

interface CarriedInput {
  readonly form: PermissionForm;
  readonly rule: OwnRule;
  /** The servers that its list is about, where that is not all that move. */
  readonly servers?: readonly MovedServer[] | undefined;
}

export interface CarryInput {
  readonly title: string;
  readonly profile: Profile;
  readonly alias: string;
  readonly servers: readonly MovedServer[];
  readonly rules: readonly CarriedInput[];
  /** The name that Onym lists a tool by in this client; `undefined` where it has none. */
  readonly nameOf: (tool: Tool) => string | undefined;
}

export function planCarry(input: CarryInput): CarryPlan {
  const policy: CarriedRule[] = [];
  const changes = new Map<PermissionForm, Change[]>();
  const carried: CarriedEntry[] = [];
  const left: LeftEntry[] = [];
  const denied = new Set(
    input.rules.flatMap(({ rule, servers }) =>
      rule.effect === "deny" ? (findMeant(rule, within(servers, input))?.tools ?? []) : [],
    ),
  );
  for (const { form, rule, servers } of input.rules) {
    const meant = findMeant(rule, within(servers, input));
    if (meant === undefined) continue;
    const change = changeOf(rule, form, meant, input);
    if (change.ok) {
      changes.set(form, [...(changes.get(form) ?? []), change.value]);
      carried.push({ rule, to: "client" });
    } else if (rule.effect === "allow")
      left.push({
        rule,
        reason: change.reason,
        instead: newNames(
          rule,
          meant.tools.filter((tool) => !denied.has(tool)),
          input,
        ),
      });
    else {
      policy.push(...policyRules(rule.effect, rule, meant, input.title));
      carried.push({ rule, to: "policy" });
    }
  }
  const kept = new Set([...changes.values()].flat().flatMap(({ name, sent }) => [name, sent]));
  return {
    policy,
    changes,
    carried,
    left: left.map((entry) => ({ ...entry, instead: entry.instead.filter((name) => !kept.has(name)) })),
  };
}

function within(servers: readonly MovedServer[] | undefined, input: CarryInput): CarryInput {
  return servers === undefined ? input : { ...input, servers };
}

/** The tools that an entry means, as its list would name them behind Onym; `undefined` where it is about other servers. */
export function namesMeant(rule: OwnRule, input: CarryInput): readonly string[] | undefined {
  const meant = findMeant(rule, input);
  return meant === undefined ? undefined : newNames(rule, meant.tools, input);
}

/** What an entry is about, among the servers that move. */
interface Meant {
  /** Known tools. */
  readonly tools: readonly Tool[];
  /** Servers with a glob over raw names: for tools that are not known, and those that are yet to come. */
  readonly globs: readonly { readonly server: string; readonly glob: string; readonly isKnown: boolean }[];
  /** Without a wildcard. */
  readonly isExact: boolean;
}

/** `undefined` for an entry about other servers, or about no server at all. */
function findMeant({ target }: OwnRule, { servers, profile }: CarryInput): Meant | undefined {
  const parts = servers.flatMap(({ before, after, tools }) => {
    const glob =
      target.kind === "tool"
        ? globOfTool(target, before)
        : target.kind === "name"
          ? globOfName(target.pattern, before, profile)
          : // Where its tools are known, what is not among them is none of this server's.
            tools === undefined
            ? target.tool
            : undefined;
    const named = (tools ?? []).filter((tool) => isMeant(tool, before, target, profile));
    if (glob === undefined && named.length === 0) return [];
    return [{ tools: named, glob: { server: after, glob: glob ?? "", isKnown: tools !== undefined } }];
  });
  if (parts.length === 0) return undefined;
  const text =
    target.kind === "tool"
      ? `${target.server}${target.tool ?? "*"}`
      : target.kind === "name"
        ? target.pattern
        : target.tool;
  return {
    tools: parts.flatMap(({ tools }) => tools),
    globs: parts.map(({ glob }) => glob).filter(({ glob }) => glob !== ""),
    isExact: !/[*?]/.test(text),
  };
}

function isMeant({ raw }: Tool, server: string, target: OwnRule["target"], profile: Profile): boolean {
  if (target.kind === "raw") return raw === target.tool;
  if (target.kind === "name") return matchesGlob(sentName(raw, profile, server), target.pattern);
  return matchesGlob(server, target.server) && (target.tool === undefined || matchesGlob(raw, target.tool));
}

function globOfTool(
  { server, tool }: Extract<OwnRule["target"], { kind: "tool" }>,
  id: string,
): string | undefined {
  return matchesGlob(id, server) ? (tool ?? "*") : undefined;
}

/** What follows the prefix that the client puts before the tools of a server. Where it rewrites names, `_` may have been anything. */
function globOfName(pattern: string, id: string, profile: Profile): string | undefined {
  const probe = "tool";
  const sent = sentName(probe, profile, id);
  if (!sent.endsWith(probe)) return undefined;
  const prefix = sent.slice(0, -probe.length);
  const literal = /^[^*?]*/.exec(pattern)?.[0] ?? "";
  if (pattern.startsWith(prefix) && pattern.length > prefix.length)
    return pattern.slice(prefix.length).replace(/[_-]/g, "?");
  return literal.length < pattern.length && prefix.startsWith(literal) && literal !== "" ? "*" : undefined;
}

type Changed =
  | { readonly ok: true; readonly value: Change }
  | { readonly ok: false; readonly reason: string };

/** The same entry under the name that the tool has from now on. */
function changeOf(rule: OwnRule, form: PermissionForm, meant: Meant, input: CarryInput): Changed {
  const { tools, isExact } = meant;
  const [tool, ...others] = tools;
  if (!isExact) return { ok: false, reason: "it means every tool that matches, now and later" };
  if (others.length > 0) return { ok: false, reason: `it means ${tools.length} tools` };
  if (tool === undefined)
    return {
      ok: false,
      reason: meant.globs.every(({ isKnown }) => isKnown)
        ? "there is no such tool"
        : "the tools of its server could not be asked for",
    };
  if (rule.effect === "deny" || !form.holds.includes(rule.effect))
    return { ok: false, reason: "the client has no list for it" };
  const name = input.nameOf(tool);
  if (name === undefined) return { ok: false, reason: `${quoteText(tool.raw)} has no name in this client` };
  return { ok: true, value: { rule, name, sent: sentName(name, input.profile, input.alias) } };
}

/** In lists of names, as the client shows them to the model; in lists of servers and tools, as Onym lists them. */
function newNames(
  { target }: OwnRule,
  tools: readonly Tool[],
  { nameOf, profile, alias }: CarryInput,
): readonly string[] {
  return tools.flatMap((tool) => {
    const name = nameOf(tool);
    if (name === undefined) return [];
    return [target.kind === "name" ? sentName(name, profile, alias) : name];
  });
}

function policyRules(
  effect: Exclude<Effect, "allow">,
  rule: OwnRule,
  meant: Meant,
  title: string,
): readonly CarriedRule[] {
  const note = `from ${title}: ${rule.text}`;
  const canonical = [...new Set(meant.tools.map((tool) => tool.canonical))];
  if (meant.isExact && canonical.length > 0) return [{ effect, tool: canonical, note }];
  const globs = meant.globs.map(
    ({ server, glob }): CarriedRule => ({ effect, server, tool: [`*@*/${safeGlob(glob)}@*`], note }),
  );
  return [
    ...globs,
    ...(canonical.length === 0 || globs.length > 0 ? [] : [{ effect, tool: canonical, note }]),
  ];
}

/** Patterns of rules take everything but what they use themselves; that may be anything then. */
function safeGlob(glob: string): string {
  return glob.replace(/[/@:\s]/g, "?");
}
