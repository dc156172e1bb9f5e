// Builds the entries of one list, for one kind of caller. The lists of one view are nearly alike, so shared
// parts are copied from another list.

import type { NamingTable, Tool } from "@onym/core";
import type { Era } from "../../mcp/protocol.js";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import type { GatewaySnapshot, NamesChoice } from "../catalog/gateway-snapshot.js";
import { advertisedChoices } from "../catalog/snapshot-tables.js";
import { createNameFinder, type NameFinder, renderReferences } from "../references/find-references.js";
import { type EntryList, type EntrySource, entryListSteps } from "./entry-list.js";
import { type JsonText, renderJson } from "./schema-text.js";
import type { ToolBody } from "./tool-body.js";

/** A list and its inputs. */
export interface ToolList {
  /** The choice that it was first built for. */
  readonly id: string;
  readonly names: ListNames;
  readonly entries: EntryList;
}

/** Everything in which two lists of one view can differ. */
interface ListNames {
  readonly era: Era;
  readonly own: NamingTable;
  readonly openai: NamingTable;
  readonly cursor: NamingTable;
  /** For mentions in descriptions. */
  readonly find: NameFinder;
}

export interface ToolListInput {
  readonly snapshot: GatewaySnapshot;
  readonly choice: NamesChoice & { readonly era: Era };
  readonly id: string;
  /** Lists of the same view; if one of them shows the same, it is reused. */
  readonly made: readonly ToolList[];
}

export function buildToolList(input: ToolListInput): ToolList {
  return runAtOnce(toolListSteps(input));
}

export function* toolListSteps({ snapshot, choice, id, made }: ToolListInput): Steps<ToolList> {
  const names = yield* namesFor(snapshot, choice);
  const same = made.find((list) => isSame(list.names, names));
  if (same !== undefined) return same;
  const model = made.find((list) => hasSameTools(list.names.own, names.own));
  const sources = listEntries(snapshot, names, model?.names);
  const entries = yield* entryListSteps(sources, roomFor(snapshot), model?.entries);
  return { id, names, entries };
}

function* namesFor(snapshot: GatewaySnapshot, choice: ToolListInput["choice"]): Steps<ListNames> {
  // Build each table before all are recorded together.
  for (const { profile, as } of advertisedChoices(choice, snapshot.tools)) {
    snapshot.tools.namesFor(profile, as === undefined ? {} : { as });
    yield;
  }
  const tableIn = (id: string): NamingTable => {
    const profile = snapshot.tools.profiles.find((known) => known.id === id);
    if (profile === undefined) throw new Error(`the profile ${id} is built in`);
    return snapshot.tableOf({ profile, as: choice.as });
  };
  const own = snapshot.tableOf(choice);
  yield;
  return {
    era: choice.era,
    own,
    openai: tableIn("openai"),
    cursor: tableIn("cursor"),
    find: createNameFinder(own, undefined),
  };
}

function isSame(a: ListNames, b: ListNames): boolean {
  return (
    a.era === b.era &&
    hasSameNames(a.own, b.own) &&
    hasSameNames(a.openai, b.openai) &&
    hasSameNames(a.cursor, b.cursor)
  );
}

function hasSameNames(a: NamingTable, b: NamingTable): boolean {
  return a === b || (hasSameTools(a, b) && a.tools.every(({ name }, index) => b.tools[index]?.name === name));
}

function hasSameTools(a: NamingTable, b: NamingTable): boolean {
  return (
    a === b ||
    (a.tools.length === b.tools.length && a.tools.every(({ tool }, index) => b.tools[index]?.tool === tool))
  );
}

/**
 * The entries of some tools of a list. Where a text mentions a tool that this caller does not see, the entry is written
 * anew; all others are copied.
 */
export function* pickSteps(
  snapshot: GatewaySnapshot,
  { names, entries }: Pick<ToolList, "names" | "entries">,
  isWanted: (tool: Tool) => boolean,
  visibility: { readonly sees: (tool: Tool) => boolean } | undefined,
): Steps<EntryList> {
  if (visibility === undefined) return yield* entries.pickSteps(isWanted);
  const find = createNameFinder(names.own, visibility);
  return yield* entries.pickSteps(isWanted, (tool) => {
    const owner = snapshot.ownerOf(tool);
    const body = owner === undefined ? undefined : snapshot.offerOf(owner)?.bodies.get(tool.definition);
    if (body === undefined) return undefined;
    const members = names.era === "legacy" ? body.legacyMembers : body.members;
    const isSameFor = (raw: string): boolean => find(tool, raw) === names.find(tool, raw);
    if (
      (body.description ?? []).every((part) => typeof part === "string" || isSameFor(part.raw)) &&
      members.mentions.every(({ raw }) => isSameFor(raw))
    )
      return undefined;
    const name = names.own.nameOf(tool) ?? "";
    const [openai, cursor] = [names.openai.nameOf(tool), names.cursor.nameOf(tool)];
    return formatTool({ tool, name, openai, cursor, body, members, find });
  });
}

/** Estimated bytes of names and framing per entry. */
const FRAME_BYTES = 640;

/** Estimated bytes of the entries of all tools. */
export function roomFor({ present, offerOf }: GatewaySnapshot): number {
  return present.reduce((sum, owner) => {
    const { tools = [], bodyLength = 0 } = offerOf(owner) ?? {};
    return sum + bodyLength + tools.length * FRAME_BYTES;
  }, 0);
}

/** `model` names the same tools, so each has the same position in both lists. */
function* listEntries(
  snapshot: GatewaySnapshot,
  names: ListNames,
  model: ListNames | undefined,
): Iterable<EntrySource> {
  let position = 0;
  for (const [index, { tool }] of names.own.tools.entries()) {
    const owner = snapshot.ownerOf(tool);
    const body = owner === undefined ? undefined : snapshot.offerOf(owner)?.bodies.get(tool.definition);
    if (body === undefined) continue;
    const facts = factsAt(index, tool, body, names);
    const there = model === undefined ? undefined : factsAt(index, tool, body, model);
    yield there !== undefined && hasSameRest(facts, there)
      ? sourceLike(there, position, facts)
      : { tool, json: formatTool(facts) };
    position += 1;
  }
}

function sourceLike(there: EntryFacts, position: number, facts: EntryFacts): EntrySource {
  const { tool, name } = facts;
  if (there.name === name) return { tool, json: "", rest: { position, skip: 0 } };
  const skip = Buffer.byteLength(startOfEntry(there));
  return { tool, json: startOfEntry(facts), rest: { position, skip } };
}

function factsAt(index: number, tool: Tool, body: ToolBody, names: ListNames): EntryFacts {
  return {
    tool,
    name: names.own.tools[index]?.name ?? "",
    openai: nameAt(index, tool, names.openai),
    cursor: nameAt(index, tool, names.cursor),
    body,
    members: names.era === "legacy" ? body.legacyMembers : body.members,
    find: names.find,
  };
}

/** Most tables name all tools in one order, so try the same position first. */
function nameAt(index: number, tool: Tool, { tools, nameOf }: NamingTable): string | undefined {
  const there = tools[index];
  return there?.tool === tool ? there.name : nameOf(tool);
}

// One entry of tools/list for one caller: its name, its other names, its origin (GW-2, BOX-5).

interface EntryFacts {
  readonly tool: Tool;
  /** The caller's name for it. */
  readonly name: string;
  readonly openai: string | undefined;
  readonly cursor: string | undefined;
  readonly body: ToolBody;
  readonly members: JsonText;
  /** The names of other tools of the same server, for mentions in descriptions. */
  readonly find: NameFinder;
}

function formatTool(facts: EntryFacts): string {
  const { tool, openai, body, members, find } = facts;
  const cursor = facts.cursor === openai ? undefined : facts.cursor;
  const others = isCanonical(facts)
    ? optional("openai_name", openai) + optional("cursor_name", cursor)
    : `,"canonical_name":${JSON.stringify(tool.canonical)}`;
  const source = `"source_server":${JSON.stringify(tool.server)}${optional("toolbox_name", tool.toolbox)}`;
  const nameOf = (raw: string): string => find(tool, raw);
  const text = body.description === undefined ? undefined : renderReferences(body.description, nameOf);
  return (
    `${startOfEntry(facts)}${optional("description", text)},${renderJson(members, nameOf)}${others},${source},"_meta":{${body.meta}` +
    `"onym/canonicalName":${JSON.stringify(tool.canonical)}${optional("onym/openaiName", openai)}` +
    `${optional("onym/cursorName", cursor)},${source},"original_name":${JSON.stringify(tool.raw)}}}`
  );
}

/** The part of an entry that contains the caller's name. */
function startOfEntry({ name }: EntryFacts): string {
  return `{"name":${JSON.stringify(name)}`;
}

/** Whether two entries of one tool are equal after their starts. */
function hasSameRest(a: EntryFacts, b: EntryFacts): boolean {
  return (
    a.members === b.members &&
    a.openai === b.openai &&
    a.cursor === b.cursor &&
    isCanonical(a) === isCanonical(b) &&
    (a.body.description ?? []).every((part) => typeof part === "string" || mentionsSame(a, b, part.raw)) &&
    a.members.mentions.every(({ raw }) => mentionsSame(a, b, raw))
  );
}

function mentionsSame(a: EntryFacts, b: EntryFacts, raw: string): boolean {
  return a.find(a.tool, raw) === b.find(b.tool, raw);
}

function isCanonical({ name, tool }: EntryFacts): boolean {
  return name === tool.canonical;
}

function optional(key: string, value: string | undefined): string {
  return value === undefined ? "" : `,${JSON.stringify(key)}:${JSON.stringify(value)}`;
}
