// Lists what a server offers: every list it announces, all pages of each, within limits. One bad list harms
// no other.

import { createHash } from "node:crypto";
import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject, ownValue, TOO_DEEP } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import type { Clock } from "../../model/clock.js";
import type { ListProblem } from "../../model/list-problem.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { Handshake } from "../connection.js";
import type { DownstreamLimits, DownstreamRequest, Inventory } from "../downstream.js";
import { buildOwnRequest } from "../protocol/request.js";
import { loadTools, packInventory } from "./inventory.js";
import { MAX_ENTRY_VALUES, type PageEntry, readPage } from "./read-page.js";

export interface ListOptions {
  readonly handshake: Handshake;
  readonly send: (request: DownstreamRequest) => Promise<Reply>;
  readonly limits: Pick<DownstreamLimits, "listEntries" | "entryBytes" | "listBytes" | "serverBytes">;
  /** For all pages of all lists together. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The previous inventory: a list that fails now stays as it was. */
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
  /** Maximum bytes of that string. The catalog checks tool names, because all sources pass through it. */
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
/** All cursors of a list are kept while it is read, to find one that comes twice. */
const MAX_CURSOR_BYTES = 4 * 1_024;

/** Notifications that require a new listing. */
export const LIST_CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
]);

export interface ListedInventory {
  readonly inventory: Inventory;
  /** Digest of all that was listed: the text itself may be megabytes. */
  readonly digest: string;
}

/** Lists everything. Entries over a limit are left out with a problem; a list that fails stays as it was. */
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
  const inventory: Inventory = {
    ...about,
    tools: valuesOf("tools"),
    resources: valuesOf("resources"),
    templates: valuesOf("templates"),
    prompts: valuesOf("prompts"),
  };
  const textsOf = (name: ListName): readonly string[] => (kept.get(name) ?? []).map(({ text }) => text);
  const digest = await runInSlices(
    digestSteps([JSON.stringify(about)], ...LISTS.map(({ name }) => textsOf(name))),
  );
  return { inventory: await packInventory(inventory, textsOf("tools")), digest };
}

/** Entries hashed per step. */
const STEP_ENTRIES = 100;

/** JSON texts hold no line ends, so every list has its own digest. */
function* digestSteps(...lists: readonly (readonly string[])[]): Steps<string> {
  const digest = createHash("sha256");
  for (const texts of lists) {
    for (let at = 0; at < texts.length; at += STEP_ENTRIES) {
      digest.update(`${texts.slice(at, at + STEP_ENTRIES).join("\n")}\n`);
      yield;
    }
    digest.update("\n");
  }
  return digest.digest("hex");
}

/** Whether no page of tools failed. Pages beyond the limits are never fetched and do not count. */
export function hasAllTools({ problems }: Inventory): boolean {
  return !problems.some(({ code, method }) => code === "list-failed" && method === "tools/list");
}

interface ListedEntry {
  readonly value: JsonObject;
  readonly text: string;
  readonly bytes: number;
}

interface Listed {
  readonly entries: readonly ListedEntry[];
  readonly problems: readonly ListProblem[];
}

/** One list while its pages arrive. */
interface Listing {
  readonly list: List;
  readonly limits: ListOptions["limits"];
  readonly entries: ListedEntry[];
  readonly problems: ListProblem[];
  bytes: number;
  unreadable: number;
  oversized: number;
  /** The largest entry that was left out, for the problem message. */
  largest: { readonly shown: string; readonly bytes: number };
  deep: number;
  /** The first entry that was left out because it is nested too deeply. */
  firstDeep: string;
  crowded: number;
  /** The first entry that was left out because it holds too many values. */
  firstCrowded: string;
}

async function listAll(
  list: List,
  { send, limits, before, clock, deadline }: ListOptions & { readonly deadline: number },
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
    deep: 0,
    firstDeep: "",
    crowded: 0,
    firstCrowded: "",
  };
  const failed = async (why: string): Promise<Listed> => ({
    // An incomplete list removes nothing: the missing part may hold earlier entries.
    entries:
      before === undefined ? listing.entries : await runInSlices(readAgain(await entriesOf(before, list))),
    problems: [{ code: "list-failed", method, message: `${method} failed: ${why}` }],
  });
  const cursors = new Set<string>();
  let received = 0;
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const left = deadline - clock.now();
    if (left <= 0) return failed("the whole list did not come in time");
    const reply = await send(
      buildOwnRequest(method, cursor === undefined ? {} : { cursor }, { timeoutMs: left }),
    );
    if (reply.kind === "error" && reply.deepResult === undefined)
      return failed(quoteText(reply.error.message, 200));
    // A page over the limit is not parsed.
    if (pageBytes(reply) > limits.listBytes) {
      listing.problems.push(tooMuch(method, "listBytes", limits.listBytes));
      break;
    }
    const found = readPage(reply, list, limits);
    if (found === undefined) return failed(`the answer has no list of ${field}`);
    const isFull = await runInSlices(addPage(listing, found.entries));
    const next = found.nextCursor;
    if (isFull || typeof next !== "string") break;
    received += pageBytes(reply);
    const end = endOfListing(method, { next, cursors, page, received, listBytes: limits.listBytes });
    if (end !== undefined) {
      listing.problems.push(end);
      break;
    }
    cursors.add(next);
    cursor = next;
  }
  return { entries: listing.entries, problems: [...listing.problems, ...describeLeftOut(listing)] };
}

/** Why the next page is not asked for. */
function endOfListing(
  method: string,
  {
    next,
    cursors,
    page,
    received,
    listBytes,
  }: {
    readonly next: string;
    readonly cursors: ReadonlySet<string>;
    readonly page: number;
    /** Bytes of all pages so far, with what was left out of them. */
    readonly received: number;
    readonly listBytes: number;
  },
): ListProblem | undefined {
  const cursorBytes = Buffer.byteLength(next);
  if (cursorBytes > MAX_CURSOR_BYTES)
    return leftOut(
      method,
      `a cursor of ${cursorBytes} bytes, more than ${MAX_CURSOR_BYTES}; the rest is left out`,
    );
  if (cursors.has(next))
    return leftOut(method, `the cursor ${quoteText(next, 100)} came twice; listing ended there`);
  if (page >= MAX_PAGES) return leftOut(method, `more than ${MAX_PAGES} pages; the rest is left out`);
  return received > listBytes ? tooMuch(method, "listBytes", listBytes) : undefined;
}

function pageBytes(reply: Reply): number {
  if (reply.kind === "result") return reply.text?.length ?? 0;
  if (reply.kind !== "error" || reply.deepResult === undefined) return 0;
  return reply.deepResult.end - reply.deepResult.start;
}

/** Adds the entries of a page, one per step. `true` when the list has reached its limit. */
function* addPage(listing: Listing, found: Iterable<PageEntry | undefined>): Steps<boolean> {
  const { list, limits, entries, problems } = listing;
  for (const each of found) {
    yield;
    const entry = each === undefined ? undefined : readEntry(listing, each);
    if (entry === undefined) continue;
    if (entries.length >= limits.listEntries) {
      problems.push(leftOut(list.method, `more than ${limits.listEntries} entries; the rest is left out`));
      return true;
    }
    if (listing.bytes + entry.bytes > limits.listBytes) {
      problems.push(tooMuch(list.method, "listBytes", limits.listBytes));
      return true;
    }
    entries.push(entry);
    listing.bytes += entry.bytes;
  }
  return false;
}

function readEntry(listing: Listing, each: PageEntry): ListedEntry | undefined {
  const { list, limits } = listing;
  if (each.kind === "deep") {
    if (listing.deep === 0) listing.firstDeep = quoteText(each.key ?? "", 60);
    listing.deep += 1;
    return undefined;
  }
  if (each.kind === "crowded") {
    if (listing.crowded === 0) listing.firstCrowded = quoteText(each.key ?? "", 60);
    listing.crowded += 1;
    return undefined;
  }
  if (each.kind === "large") {
    leaveOut(listing, each.key ?? "", each.bytes);
    return undefined;
  }
  const { value } = each;
  const key = isJsonObject(value) ? ownValue(value, list.key) : undefined;
  if (!isJsonObject(value) || typeof key !== "string") {
    listing.unreadable += 1;
    return undefined;
  }
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  const isLong = list.keyBytes !== undefined && Buffer.byteLength(key) > list.keyBytes;
  if (bytes <= limits.entryBytes && !isLong) return { value, text, bytes };
  leaveOut(listing, key, bytes);
  return undefined;
}

function leaveOut(listing: Listing, key: string, bytes: number): void {
  listing.oversized += 1;
  if (bytes > listing.largest.bytes) listing.largest = { shown: quoteText(key, 60), bytes };
}

async function entriesOf(inventory: Inventory, { name }: List): Promise<readonly JsonObject[]> {
  return name === "tools" ? loadTools(inventory) : inventory[name];
}

/** One entry per step. */
function* readAgain(values: readonly JsonObject[]): Steps<readonly ListedEntry[]> {
  const entries: ListedEntry[] = [];
  for (const value of values) {
    const text = JSON.stringify(value);
    entries.push({ value, text, bytes: Buffer.byteLength(text) });
    yield;
  }
  return entries;
}

function takeWithin(entries: readonly ListedEntry[], room: number): readonly ListedEntry[] {
  let used = 0;
  const end = entries.findIndex(({ bytes }) => {
    used += bytes;
    return used > room;
  });
  return end < 0 ? entries : entries.slice(0, end);
}

function tooMuch(method: string, limit: string, bytes: number): ListProblem {
  return leftOut(method, `more than ${bytes} bytes (limits.${limit}); the rest is left out`);
}

function leftOut(method: string, why: string): ListProblem {
  return { code: "left-out", method, message: `${method}: ${why}` };
}

function describeLeftOut({
  list,
  limits,
  unreadable,
  oversized,
  largest,
  deep,
  firstDeep,
  crowded,
  firstCrowded,
}: Listing): readonly ListProblem[] {
  const { method, key, keyBytes } = list;
  const count = (number: number): string => (number === 1 ? "1 entry" : `${number} entries`);
  const bound =
    keyBytes === undefined
      ? `${limits.entryBytes} bytes (limits.entryBytes)`
      : `${limits.entryBytes} bytes (limits.entryBytes) or ${keyBytes} of its ${key}`;
  const lines = [
    ...(unreadable === 0 ? [] : [`${count(unreadable)} without a text "${key}" left out`]),
    ...(oversized === 0
      ? []
      : [
          `${count(oversized)} over ${bound} left out; the largest is ${largest.shown} with ${largest.bytes} bytes`,
        ]),
    ...(deep === 0 ? [] : [`${count(deep)} ${TOO_DEEP.reason} left out; the first is ${firstDeep}`]),
    ...(crowded === 0
      ? []
      : [
          `${count(crowded)} with more than ${MAX_ENTRY_VALUES} JSON values left out; the first is ${firstCrowded}`,
        ]),
  ];
  return lines.map((why) => leftOut(method, why));
}
