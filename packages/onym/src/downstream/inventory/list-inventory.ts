// What a downstream offers: every list it announces, all pages of each, within bounds. One bad list spoils no other.

import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import type { Reply } from "../../mcp/reply.js";
import type { Clock } from "../../model/clock.js";
import type { Handshake } from "../connection.js";
import type { DownstreamLimits, DownstreamRequest, Inventory } from "../downstream.js";
import { buildOwnRequest } from "../protocol/own-requests.js";

export interface ListOptions {
  readonly handshake: Handshake;
  readonly ask: (request: DownstreamRequest) => Promise<Reply>;
  readonly limits: Pick<DownstreamLimits, "listEntries" | "entryBytes" | "listBytes" | "serverBytes">;
  /** For all pages of all lists together. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** What it offered before: a list that fails now is kept as it was. */
  readonly before: Inventory | undefined;
}

type ListName = "tools" | "resources" | "templates" | "prompts";

interface List {
  readonly name: ListName;
  /** The capability that announces it. */
  readonly capability: string;
  readonly method: string;
  /** The field of the result. */
  readonly field: string;
  /** The string that each entry must have. */
  readonly key: string;
  /** Bytes of that string. Names of tools are held against their limit by the catalog, which all sources pass. */
  readonly keyBytes?: number;
}

const LISTS: readonly List[] = [
  { name: "tools", capability: "tools", method: "tools/list", field: "tools", key: "name" },
  {
    name: "resources",
    capability: "resources",
    method: "resources/list",
    field: "resources",
    key: "uri",
    keyBytes: 8_192,
  },
  {
    name: "templates",
    capability: "resources",
    method: "resources/templates/list",
    field: "resourceTemplates",
    key: "uriTemplate",
    keyBytes: 2_048,
  },
  { name: "prompts", capability: "prompts", method: "prompts/list", field: "prompts", key: "name" },
];

const MAX_PAGES = 1000;

/** Methods that change a list, and so ask for a new listing. */
export const LIST_CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
]);

export interface ListedInventory {
  readonly inventory: Inventory;
  /** The inventory as JSON. */
  readonly text: string;
}

/** Lists everything. What is over a limit is left out with a problem; a list that fails stays as it was. */
export async function listInventory(options: ListOptions): Promise<ListedInventory> {
  const { handshake, limits, clock, timeoutMs } = options;
  const deadline = clock.now() + timeoutMs;
  const listed = await Promise.all(
    LISTS.map((list) =>
      isJsonObject(ownValue(handshake.capabilities, list.capability))
        ? listAll(list, { ...options, deadline })
        : { entries: [], problems: [] },
    ),
  );
  const problems = listed.flatMap((each) => each.problems);
  const kept = new Map<ListName, readonly ListedEntry[]>();
  let room = limits.serverBytes;
  for (const [index, { name, method }] of LISTS.entries()) {
    const entries = listed[index]?.entries ?? [];
    const fitting = takeWithin(entries, room);
    room -= fitting.reduce((sum, { bytes }) => sum + bytes, 0);
    if (fitting.length < entries.length) problems.push(tooMuch(method, "serverBytes", limits.serverBytes));
    kept.set(name, fitting);
  }
  const valuesOf = (name: ListName): readonly JsonObject[] =>
    (kept.get(name) ?? []).map(({ value }) => value);
  const about = {
    capabilities: handshake.capabilities,
    serverInfo: handshake.serverInfo,
    instructions: handshake.instructions,
    problems,
  };
  const lists = LISTS.map(
    ({ name }) => `,"${name}":[${(kept.get(name) ?? []).map(({ text }) => text).join(",")}]`,
  );
  return {
    inventory: {
      ...about,
      tools: valuesOf("tools"),
      resources: valuesOf("resources"),
      templates: valuesOf("templates"),
      prompts: valuesOf("prompts"),
    },
    text: `${JSON.stringify(about).slice(0, -1)}${lists.join("")}}`,
  };
}

/** Whether no page of its tools is missing because it could not be had. What is beyond the limits never is had. */
export function hasAllTools({ problems }: Inventory): boolean {
  return !problems.some((problem) => problem.startsWith(`tools/list ${FAILED}`));
}

const FAILED = "failed:";
/** Bytes of entries that are looked at before others get their turn. */
const SLICE_BYTES = 512 * 1024;

interface ListedEntry {
  readonly value: JsonObject;
  readonly text: string;
  readonly bytes: number;
}

interface Listed {
  readonly entries: readonly ListedEntry[];
  readonly problems: readonly string[];
}

/** One list while its pages come in. */
interface Listing {
  readonly list: List;
  readonly limits: ListOptions["limits"];
  readonly entries: ListedEntry[];
  readonly problems: string[];
  bytes: number;
  unreadable: number;
  oversized: number;
  /** The longest entry that was left out, for the problem that says so. */
  largest: { readonly shown: string; readonly bytes: number };
}

async function listAll(
  list: List,
  { ask, limits, before, clock, deadline }: ListOptions & { readonly deadline: number },
): Promise<Listed> {
  const { method, field } = list;
  const listing: Listing = {
    list,
    limits,
    entries: [],
    problems: [],
    bytes: 0,
    unreadable: 0,
    oversized: 0,
    largest: { shown: "", bytes: 0 },
  };
  const failed = (why: string): Listed => ({
    // What is missing may be what it offered before: a list that is not whole takes nothing away.
    entries: before === undefined ? listing.entries : before[list.name].map(readAgain),
    problems: [`${method} ${FAILED} ${why}`],
  });
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const left = deadline - clock.now();
    if (left <= 0) return failed("the whole list did not come in time");
    const reply = await ask(
      buildOwnRequest(method, cursor === undefined ? {} : { cursor }, { timeoutMs: left }),
    );
    if (reply.kind === "error") return failed(quoteText(reply.error.message, 200));
    // A page over the limit is not even read.
    if (reply.kind === "result" && (reply.text?.length ?? 0) > limits.listBytes) {
      listing.problems.push(tooMuch(method, "listBytes", limits.listBytes));
      break;
    }
    const found = reply.kind === "result" ? ownValue(reply.result, field) : undefined;
    if (!Array.isArray(found)) return failed(`the answer has no list of ${field}`);
    const isFull = await addPage(listing, found);
    const next = reply.kind === "result" ? ownValue(reply.result, "nextCursor") : undefined;
    if (isFull || typeof next !== "string") break;
    if (cursors.has(next) || page >= MAX_PAGES) {
      listing.problems.push(
        cursors.has(next)
          ? `${method}: the cursor ${quoteText(next, 100)} came twice; listing ended there`
          : `${method}: more than ${MAX_PAGES} pages; the rest is left out`,
      );
      break;
    }
    cursors.add(next);
    cursor = next;
  }
  return { entries: listing.entries, problems: [...listing.problems, ...leftOut(listing)] };
}

/** Takes the entries of a page, in slices. `true` when the list has as much as it may. */
async function addPage(listing: Listing, found: readonly unknown[]): Promise<boolean> {
  const { list, limits, entries, problems } = listing;
  let slice = 0;
  for (const value of found) {
    const entry = readEntry(listing, value);
    if (entry === undefined) continue;
    if (entries.length >= limits.listEntries) {
      problems.push(`${list.method}: more than ${limits.listEntries} entries; the rest is left out`);
      return true;
    }
    if (listing.bytes + entry.bytes > limits.listBytes) {
      problems.push(tooMuch(list.method, "listBytes", limits.listBytes));
      return true;
    }
    entries.push(entry);
    listing.bytes += entry.bytes;
    slice += entry.bytes;
    if (slice < SLICE_BYTES) continue;
    slice = 0;
    await new Promise(setImmediate);
  }
  return false;
}

function readEntry(listing: Listing, value: unknown): ListedEntry | undefined {
  const { list, limits } = listing;
  const key = isJsonObject(value) ? ownValue(value, list.key) : undefined;
  if (!isJsonObject(value) || typeof key !== "string") {
    listing.unreadable += 1;
    return undefined;
  }
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  const isLong = list.keyBytes !== undefined && Buffer.byteLength(key) > list.keyBytes;
  if (bytes <= limits.entryBytes && !isLong) return { value, text, bytes };
  listing.oversized += 1;
  if (bytes > listing.largest.bytes) listing.largest = { shown: quoteText(key, 60), bytes };
  return undefined;
}

function readAgain(value: JsonObject): ListedEntry {
  const text = JSON.stringify(value);
  return { value, text, bytes: Buffer.byteLength(text) };
}

function takeWithin(entries: readonly ListedEntry[], room: number): readonly ListedEntry[] {
  let used = 0;
  const end = entries.findIndex(({ bytes }) => {
    used += bytes;
    return used > room;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function tooMuch(method: string, limit: string, bytes: number): string {
  return `${method}: more than ${bytes} bytes (limits.${limit}); the rest is left out`;
}

function leftOut({ list, limits, unreadable, oversized, largest }: Listing): readonly string[] {
  const { method, key, keyBytes } = list;
  const count = (number: number): string => (number === 1 ? "1 entry" : `${number} entries`);
  const bound =
    keyBytes === undefined
      ? `${limits.entryBytes} bytes (limits.entryBytes)`
      : `${limits.entryBytes} bytes (limits.entryBytes) or ${keyBytes} of its ${key}`;
  return [
    ...(unreadable === 0 ? [] : [`${method}: ${count(unreadable)} without a text "${key}" left out`]),
    ...(oversized === 0
      ? []
      : [
          `${method}: ${count(oversized)} over ${bound} left out; the largest is ${largest.shown} with ${largest.bytes} bytes`,
        ]),
  ];
}
