// The permission lists of a client: read from wherever it keeps them, and held against the tools that its servers have behind Onym.

import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { Tool } from "@onym/core";
import { type Machine, resolvePlace } from "../../../clients/client-paths.js";
import { homeOf } from "../../../config/files/user-folders.js";
import { readDocument, valueAt } from "../../../documents/edit-document.js";
import { readFileBytes } from "../../../documents/replace-file.js";
import { OnymError } from "../../../model/onym-error.js";
import { showPath } from "../../../model/show-path.js";
import type { Terminal } from "../../../output/terminal.js";
import { type OpenedClient, projectOf } from "./open-client.js";
import { PERMISSION_LISTS } from "./permissions/client-lists.js";
import { type Effect, type OwnRule, type PermissionForm, textsIn } from "./permissions/own-rule.js";
import {
  type CarryInput,
  type CarryPlan,
  type MovedServer,
  namesMeant,
  planCarry,
} from "./permissions/plan-carry.js";
import type { Moved } from "./plan-move.js";
import { type BehindInput, loadBehind } from "./tools-behind.js";

export const NOTHING_CARRIED: CarryPlan = { policy: [], changes: new Map(), carried: [], left: [] };

interface FoundRule {
  readonly form: PermissionForm;
  readonly rule: OwnRule;
  /** The file, as people read it. */
  readonly shown: string;
  /** It holds in this folder alone, and the file that is connected everywhere. */
  readonly isApart: boolean;
}

interface FoundRules {
  readonly rules: readonly FoundRule[];
  /** Of lists that could not be read, in whole or in part. */
  readonly notes: readonly string[];
}

export const NO_RULES: FoundRules = { rules: [], notes: [] };

/** @throws OnymError `client-unreadable`: a deny may stand in a list that cannot be read. */
export function readRules(opened: OpenedClient, moved: readonly Moved[], machine: Machine): FoundRules {
  const entries = new Map(moved.map(({ server }) => [server.id, server.raw]));
  const rules: FoundRule[] = [];
  const notes: string[] = [];
  for (const { form, files, isApart } of listsOf(opened, machine))
    for (const file of files ?? [opened.path]) {
      const shown = showPath(file, machine.project, homeOf(machine));
      const read = files === undefined ? { ok: true as const, value: opened.value } : readList(form, file);
      if (read === undefined) continue;
      if (read.ok) {
        rules.push(...form.read(read.value, entries).map((rule) => ({ form, rule, shown, isApart })));
        notes.push(...noteStrange(form, read.value, shown));
        for (const note of form.notes?.(read.value, entries) ?? [])
          notes.push(`Not carried over from ${shown}: ${note}.`);
      } else if (isApart)
        notes.push(
          `${shown} of this folder cannot be read (${read.reason}): what it denies is not known, and is not carried over.`,
        );
      else
        throw new OnymError(
          "client-unreadable",
          `${shown} of ${opened.client.title} cannot be read: ${read.reason}.`,
          "Its permissions could not be carried over. Correct it by hand; nothing was changed.",
        );
    }
  return { rules, notes };
}

/** A list of a client, and where it stands. */
interface ClientList {
  readonly form: PermissionForm;
  /** Where its entries are written anew; `undefined` for the file that is connected. */
  readonly target: string | undefined;
  /** `undefined` for the file that is connected. */
  readonly files: readonly string[] | undefined;
  readonly isApart: boolean;
}

/** Each list of a file once: in home, that of a project may be the user's own, and both may be the file that is connected. */
export function listsOf(opened: OpenedClient, machine: Machine): readonly ClientList[] {
  const near = { ...machine, project: projectOf(opened, machine.project) };
  const lists = (PERMISSION_LISTS.get(opened.client.id) ?? []).map((form): ClientList => {
    const { place } = form;
    if (place === undefined) return { form, target: undefined, files: undefined, isApart: false };
    const target = resolve(resolvePlace(place.replace("*", "onym"), near));
    const isApart = opened.isOwn && place.startsWith("{project}");
    return { form, target, files: filesAt(place, near), isApart };
  });
  const isSameList = (one: ClientList, other: ClientList): boolean =>
    one.target === other.target && one.form.read === other.form.read;
  return lists.filter(
    (list, index) =>
      list.target === undefined ||
      (list.target !== resolve(opened.path) && lists.findIndex((other) => isSameList(list, other)) === index),
  );
}

function filesAt(place: string, machine: Machine): readonly string[] {
  const file = resolvePlace(place, machine);
  if (basename(place) !== "*.toml") return [file];
  try {
    const folder = dirname(file);
    return readdirSync(folder)
      .filter((name) => name.endsWith(".toml"))
      .sort()
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** `undefined` where there is no such file. */
function readList({ format }: PermissionForm, file: string): ReturnType<typeof readDocument> | undefined {
  const read = readFileBytes(file);
  if (read.kind === "missing") return undefined;
  return read.kind === "bytes" ? readDocument(read.text, format) : { ok: false, reason: read.reason };
}

function noteStrange({ lists = [] }: PermissionForm, value: unknown, shown: string): readonly string[] {
  return lists.flatMap((path) => {
    const list = valueAt(value, path);
    if (list === undefined || (Array.isArray(list) && textsIn(list).length === list.length)) return [];
    return [
      Array.isArray(list)
        ? `"${path.join(".")}" in ${shown} has entries that are no texts: they were not carried over.`
        : `"${path.join(".")}" in ${shown} is no list of texts: nothing of it was carried over.`,
    ];
  });
}

export async function planRules(
  { rules, ...input }: BehindInput & { readonly rules: readonly FoundRule[] },
  terminal: Terminal,
): Promise<{ readonly carry: CarryPlan; readonly notes: readonly string[] }> {
  const nothing = { carry: NOTHING_CARRIED, notes: [] };
  if (rules.length === 0) return nothing;
  const { opened, alias, moving } = input;
  const behind = await loadBehind(input, terminal);
  if (behind === undefined) return nothing;
  const { profile, snapshot, asked, nameOf } = behind;
  const toolsOf = (id: string): readonly Tool[] | undefined => {
    const answer = asked.find(({ server }) => server.source.server === id);
    const isStatic = moving.config.servers.some(
      ({ source, isStatic }) => isStatic && source.server === id && source.toolbox === undefined,
    );
    const isKnown = answer === undefined ? isStatic : answer.state.kind === "ready";
    const tools = snapshot.catalog.tools.filter(
      ({ server, toolbox }) => server === id && toolbox === undefined,
    );
    return isKnown ? tools : undefined;
  };
  const serversOf = (moved: readonly Moved[]): readonly MovedServer[] =>
    moved.map(({ server, as }): MovedServer => ({ before: server.id, after: as, tools: toolsOf(as) }));
  const ofFolder = serversOf(moving.moved.filter(({ server }) => server.isOfProject));
  const everywhere = serversOf(moving.moved.filter(({ server }) => !server.isOfProject));
  const about = { title: opened.client.title, profile, alias, nameOf };
  return {
    carry: planCarry({
      ...about,
      servers: serversOf(moving.moved),
      rules: rules.flatMap(({ form, rule, isApart }) =>
        rule.within === undefined ? [{ form, rule, servers: isApart ? ofFolder : undefined }] : [],
      ),
    }),
    notes: [
      ...noteApart(
        rules.filter(({ rule, isApart }) => isApart && rule.within === undefined),
        { ...about, servers: everywhere, rules: [] },
      ),
      ...noteWithin(rules, { ...about, servers: serversOf(moving.moved), rules: [] }),
    ],
  };
}

const SAYS: Readonly<Record<Exclude<Effect, "allow">, string>> = { ask: "asks about", deny: "denies" };

/** What a folder's own lists say of servers that are the user's everywhere: a rule of Onym would hold everywhere, too. */
function noteApart(rules: readonly FoundRule[], input: CarryInput): readonly string[] {
  const files = [...new Set(rules.map(({ shown }) => shown))];
  return files.flatMap((file) =>
    (["ask", "deny"] as const).flatMap((effect): readonly string[] => {
      const meant = rules.flatMap(({ rule, shown }) => {
        const names = shown === file && rule.effect === effect ? namesMeant(rule, input) : undefined;
        return names === undefined ? [] : [{ text: rule.text, names }];
      });
      if (meant.length === 0) return [];
      const texts = meant.map(({ text }) => text).join(", ");
      const names = [...new Set(meant.flatMap((one) => one.names))].join(", ");
      return [
        `${file} of this folder ${SAYS[effect]} ${texts}, and that is not carried over: what Onym carries holds in every folder.` +
          (names === "" ? "" : ` To keep it here, write there: ${names}.`),
      ];
    }),
  );
}

/** What a list says for one agent alone: Onym has one list of tools for the whole client. */
function noteWithin(rules: readonly FoundRule[], input: CarryInput): readonly string[] {
  return rules.flatMap(({ rule, shown }): readonly string[] => {
    if (rule.within === undefined || rule.effect === "allow") return [];
    const names = namesMeant(rule, input);
    if (names === undefined) return [];
    return [
      `${shown} ${SAYS[rule.effect]} ${rule.text} in ${rule.within}, and that is not carried over: what Onym carries holds in every agent.` +
        (names.length === 0 ? "" : ` To keep it, write there: ${names.join(", ")}.`),
    ];
  });
}
