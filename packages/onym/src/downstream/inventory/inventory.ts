// Compares a new listing with the previous one, independent of member order (GW-7).

import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { constants, createDeflateRaw, inflateRaw, inflateRawSync } from "node:zlib";
import { canonicalJson } from "@onym/core/identity";
import { scanElements } from "../../mcp/fast-path/scan-elements.js";
import type { JsonObject } from "../../mcp/json.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { Inventory } from "../downstream.js";

/** Compares entry by entry, so that the cost of lists that differ ends at the first difference. */
export async function isSameInventory(before: Inventory, next: Inventory): Promise<boolean> {
  if (toolNamesOf(before).length !== toolNamesOf(next).length) return false;
  if (OTHER_LISTS.some((list) => before[list].length !== next[list].length)) return false;
  if (canonicalJson(restOf(before)) !== canonicalJson(restOf(next))) return false;
  const tools = [await loadTools(before), await loadTools(next)] as const;
  const others = OTHER_LISTS.map((list) => [before[list], next[list]] as const);
  return runInSlices(sameSteps([tools, ...others]));
}

type Entries = readonly JsonObject[];

/** One entry per step (SAFE-4). */
function* sameSteps(pairs: readonly (readonly [Entries, Entries])[]): Steps<boolean> {
  for (const [then, now] of pairs)
    for (const [index, entry] of now.entries()) {
      if (canonicalJson(entry) !== canonicalJson(then[index])) return false;
      yield;
    }
  return true;
}

const OTHER_LISTS = ["resources", "templates", "prompts"] as const;

function restOf({ capabilities, serverInfo, instructions, problems }: Inventory): unknown {
  return { capabilities, serverInfo, instructions, problems };
}

export const EMPTY_INVENTORY: Inventory = {
  capabilities: {},
  serverInfo: {},
  instructions: undefined,
  tools: [],
  resources: [],
  templates: [],
  prompts: [],
  problems: [],
};

// Large inventories at rest: the tools are kept compressed, and become objects only while they are used.

/** Smaller inventories are not compressed. */
const LARGE_TEXT = 1_000_000;

/** What is known of the tools of a packed inventory without unpacking them. */
interface Packed {
  readonly names: readonly string[];
  readonly load: () => Promise<readonly JsonObject[]>;
}

const packed = new WeakMap<Inventory, Packed>();

/**
 * `texts`: each tool as JSON. Parsed tools take far more memory than compressed ones, and are read once.
 * Compresses on another thread.
 */
export async function packInventory(inventory: Inventory, texts: readonly string[]): Promise<Inventory> {
  if (texts.reduce((sum, { length }) => sum + length, 0) < LARGE_TEXT) return inventory;
  const bytes = await packTexts(texts);
  const { tools, ...rest } = inventory;
  let known = new WeakRef(tools);
  const keep = (read: readonly JsonObject[]): readonly JsonObject[] => {
    known = new WeakRef(read);
    return read;
  };
  const made: Inventory = {
    ...rest,
    get tools() {
      return known.deref() ?? keep(unpackTools(bytes));
    },
  };
  const names = tools.map(({ name }) => String(name));
  packed.set(made, { names, load: async () => known.deref() ?? keep(await unpackInSlices(bytes)) });
  return made;
}

/** The tools, unpacked in slices where they are many (SAFE-4). */
export async function loadTools(inventory: Inventory): Promise<readonly JsonObject[]> {
  return (await packed.get(inventory)?.load()) ?? inventory.tools;
}

/** The names of all tools, without unpacking them. */
export function toolNamesOf(inventory: Inventory | undefined): readonly string[] {
  if (inventory === undefined) return [];
  return packed.get(inventory)?.names ?? inventory.tools.map(({ name }) => String(name));
}

/** Tools compressed at a time. */
const PACKED_TOOLS = 256;

export async function packTexts(texts: readonly string[]): Promise<Buffer> {
  const deflate = createDeflateRaw({ level: constants.Z_BEST_SPEED });
  const chunks = async function* (): AsyncGenerator<string> {
    yield "[";
    for (let at = 0; at < texts.length; at += PACKED_TOOLS) {
      const text = texts.slice(at, at + PACKED_TOOLS).join(",");
      yield at === 0 ? text : `,${text}`;
    }
    yield "]";
  };
  const bytes: Buffer[] = [];
  await pipeline(chunks, deflate, async (parts: AsyncIterable<Buffer>) => {
    for await (const part of parts) bytes.push(part);
  });
  return Buffer.concat(bytes);
}

export function unpackTools(bytes: Buffer): readonly JsonObject[] {
  return JSON.parse(inflateRawSync(bytes).toString());
}

export async function unpackInSlices(bytes: Buffer): Promise<readonly JsonObject[]> {
  return runInSlices(readSteps(await inflate(bytes)));
}

const inflate = promisify<Buffer, Buffer>(inflateRaw);

function* readSteps(bytes: Buffer): Steps<readonly JsonObject[]> {
  const tools: JsonObject[] = [];
  for (const tool of scanElements(bytes, { start: 0, end: bytes.length }, 0)) {
    if (tool !== undefined) tools.push(JSON.parse(bytes.toString("utf8", tool.start, tool.end)));
    yield;
  }
  return tools;
}
