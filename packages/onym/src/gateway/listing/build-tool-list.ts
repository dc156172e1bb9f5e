// The entries of one list, for one kind of caller. Lists of one view are nearly alike: what another one has is taken from it.

import { findProfile, type NamingTable, type Tool } from "@onym/core";
import type { Era } from "../../mcp/protocol.js";
import type { GatewaySnapshot, NamesChoice } from "../catalog/gateway-snapshot.js";
import { runAtOnce, type Steps } from "../catalog/run-slices.js";
import { advertisedChoices } from "../catalog/snapshot-tables.js";
import { type EntryList, type EntrySource, entryListSteps } from "./entry-list.js";
import { type EntryFacts, formatTool, hasSameRest, startOfEntry } from "./format-tool.js";
import { createNameFinder, type NameFinder } from "./name-finder.js";
import type { ToolBody } from "./tool-body.js";

/** A list, and what it was made from. */
export interface ToolList {
  /** Of the choice that it was first made for. */
  readonly id: string;
  readonly names: ListNames;
  readonly entries: EntryList;
}

/** All that two lists of one view can differ in. */
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
  /** Those of the same view; where one of them shows the same, it is the list. */
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
  // Each table is made before all are put on record together.
  for (const { profile, as } of advertisedChoices(choice)) {
    snapshot.tools.namesFor(profile, as === undefined ? {} : { as });
    yield;
  }
  const tableIn = (id: string): NamingTable => {
    const profile = findProfile(id);
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
    find: createNameFinder(own),
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

/** Names and what is around them, for one entry. */
const FRAME_BYTES = 640;

/** Bytes that the entries of all tools take in all likelihood. */
export function roomFor({ present, offerOf }: GatewaySnapshot): number {
  return present.reduce((sum, owner) => {
    const { tools = [], bodyLength = 0 } = offerOf(owner) ?? {};
    return sum + bodyLength + tools.length * FRAME_BYTES;
  }, 0);
}

/** `model` names the same tools, so that each stands there where it stands here. */
function* listEntries(
  snapshot: GatewaySnapshot,
  names: ListNames,
  model: ListNames | undefined,
): Iterable<EntrySource> {
  let position = 0;
  for (const [index, { tool }] of names.own.tools.entries()) {
    const owner = snapshot.ownerOf(tool);
    const body = owner === undefined ? undefined : snapshot.offerOf(owner)?.bodyOf(tool);
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

/** Most tables name all tools in one order: where a tool stands in one is where it stands in the other. */
function nameAt(index: number, tool: Tool, { tools, nameOf }: NamingTable): string | undefined {
  const there = tools[index];
  return there?.tool === tool ? there.name : nameOf(tool);
}
