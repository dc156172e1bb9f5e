// One entry of tools/list for one caller: its name there, its other names beside it, where it comes from (GW-2, BOX-5).

import type { Tool } from "@onym/core";
import { renderReferences } from "../references/render-references.js";
import type { NameFinder } from "./name-finder.js";
import { type JsonText, renderJson } from "./schema-text.js";
import type { ToolBody } from "./tool-body.js";

export interface EntryFacts {
  readonly tool: Tool;
  /** What this caller calls it. */
  readonly name: string;
  readonly openai: string | undefined;
  readonly cursor: string | undefined;
  readonly body: ToolBody;
  readonly members: JsonText;
  /** The names of other tools of the same downstream, for mentions in descriptions. */
  readonly find: NameFinder;
}

export function formatTool(facts: EntryFacts): string {
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

/** All of an entry in which its name stands because it is the caller's. */
export function startOfEntry({ name }: EntryFacts): string {
  return `{"name":${JSON.stringify(name)}`;
}

/** Whether two entries of one tool are the same but for their starts. */
export function hasSameRest(a: EntryFacts, b: EntryFacts): boolean {
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
