// What a server offers, ready to be named and listed: read once per inventory, and kept as long as it is the same.

import { type CatalogProblem, type ListedTool, quoteText, type Tool, type ToolDefinition } from "@onym/core";
import type { Downstream, Inventory } from "../../downstream/downstream.js";
import { loadTools, toolNamesOf } from "../../downstream/inventory/inventory.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { MANY_TOOLS, runAtOnce, runFirstSteps, runInSlices, type Steps } from "../../model/run-slices.js";
import { type HeaderParam, scanHeaderParams } from "../http/requests/scan-header-params.js";
import { buildToolBody, OWN_META, type ToolBody } from "../listing/tool-body.js";
import { type FindReferences, MentionBudget, referenceFinderSteps } from "../references/find-references.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { digestOf, keepDigest } from "./name-lock.js";

export interface Offer {
  /** For the catalog: names and definitions. */
  readonly tools: readonly ListedTool[];
  /** The bodies of tools, by their definitions; of two tools with one raw name the catalog takes one. */
  readonly bodies: ReadonlyMap<Tool["definition"], ToolBody>;
  /** Total length of all bodies, in characters. */
  readonly bodyLength: number;
  /** Arguments that modern HTTP repeats in headers, by the definitions of tools that have some. */
  readonly headerParams: ReadonlyMap<Tool["definition"], readonly HeaderParam[]>;
  readonly prompts: readonly ListedTool[];
  readonly promptJson: ReadonlyMap<string, JsonObject>;
  readonly findReferences: FindReferences;
  /** Raw names of tools whose texts mention tools more often than is followed. */
  readonly cutTools: readonly string[];
  /** The pages (MCP Apps) that tools name, with the raw names of those tools. */
  readonly pages: ReadonlyMap<string, readonly string[]>;
}

/** The input; `tools` have versions if the operator gave them. */
export interface Offered extends Pick<Inventory, "tools" | "prompts"> {
  readonly versions?: ReadonlyMap<object, number>;
}

export function readOffer(
  inventory: Offered,
  server: Pick<ServerSettings, "admits">,
  references: boolean,
): Offer {
  return runAtOnce(offerSteps(inventory, server, references));
}

/** Tools, and characters of them, per step. */
const STEP_TOOLS = 50;
const STEP_LENGTH = 8 * 1024;
/** Names per step. */
const STEP_NAMES = 1_000;

export function* offerSteps(
  inventory: Offered,
  { admits }: Pick<ServerSettings, "admits">,
  references: boolean,
): Steps<Offer> {
  const shown: JsonObject[] = [];
  const names: string[] = [];
  for (const [index, tool] of inventory.tools.entries()) {
    if (index % STEP_NAMES === STEP_NAMES - 1) yield;
    const name = nameOf(tool);
    if (!admits(name)) continue;
    shown.push(tool);
    names.push(name);
  }
  const findReferences: FindReferences = references ? yield* referenceFinderSteps(names) : (text) => [text];
  const budget = new MentionBudget();
  const findWithin: FindReferences = (text, own) => findReferences(text, own, budget);
  const cutTools: string[] = [];
  const tools: ListedTool[] = [];
  /** If two tools share a name, the catalog compares their full definitions to pick one. */
  const isLarge = shown.length >= MANY_TOOLS && new Set(names).size === names.length;
  const bodies = new Map<Tool["definition"], ToolBody>();
  const headerParams = new Map<Tool["definition"], readonly HeaderParam[]>();
  const pages = new Map<string, string[]>();
  let bodyLength = 0;
  let step = { tools: 0, length: 0 };
  for (const [index, tool] of shown.entries()) {
    if (index - step.tools >= STEP_TOOLS || bodyLength - step.length >= STEP_LENGTH) {
      // A large tool counts as many steps, because slices are cut by their number.
      const count = Math.max(1, Math.floor((bodyLength - step.length) / STEP_LENGTH));
      step = { tools: index, length: bodyLength };
      for (let taken = 0; taken < count; taken += 1) yield;
    }
    const { cutTexts } = budget;
    const body = buildToolBody(tool, findWithin);
    if (budget.cutTexts > cutTexts) cutTools.push(nameOf(tool));
    const whole = listedTool(tool, inventory.versions?.get(tool));
    const listed = isLarge && body.isFaithful ? keepDefinition(whole, body) : whole;
    // Every view needs it, and a schema may be large.
    digestOf(listed);
    tools.push(listed);
    bodies.set(listed, body);
    bodyLength += body.length;
    const { declarations } = scanHeaderParams(tool["inputSchema"]);
    if (declarations.length > 0) headerParams.set(listed, declarations);
    for (const page of pagesOf(tool)) {
      const naming = pages.get(page);
      if (naming === undefined) pages.set(page, [listed.name]);
      else naming.push(listed.name);
    }
  }
  return {
    tools,
    bodies,
    bodyLength,
    headerParams,
    prompts: inventory.prompts.map((prompt) => ({ name: nameOf(prompt) })),
    promptJson: new Map(inventory.prompts.map((prompt) => [nameOf(prompt), prompt])),
    findReferences,
    cutTools,
    pages,
  };
}

/** One for each server: it may have thousands of such tools. */
export function mentionProblems(
  { server, toolbox }: Downstream["id"],
  { cutTools }: Pick<Offer, "cutTools">,
): readonly CatalogProblem[] {
  const [first, ...others] = cutTools;
  if (first === undefined) return [];
  const place = toolbox === undefined ? server : `${toolbox}:${server}`;
  const more = others.length === 0 ? "" : ` (and ${others.length} more)`;
  return [
    {
      code: "mentions-cut",
      severity: "warning",
      message: `${quoteText(server)}: the texts of ${quoteText(first)}${more} mention tools too often; the rest keep the server's own names.`,
      fix: "Mention tools less often in descriptions.",
      tools: cutTools.map((raw) => `${place}/${raw}`),
      servers: [server],
    },
  ];
}

/** Hosts read them without looking into the list of resources, and servers need not list them there. */
function pagesOf({ _meta: meta }: JsonObject): readonly string[] {
  if (!isJsonObject(meta)) return [];
  const { ui } = meta;
  const named = [
    isJsonObject(ui) ? ui["resourceUri"] : undefined,
    meta["ui/resourceUri"],
    meta["openai/outputTemplate"],
  ];
  return [...new Set(named.filter((page) => typeof page === "string" && /^ui:\/\//i.test(page)))] as string[];
}

/**
 * Large catalogs hold schemas once, as text. Every view needs the digest; almost nothing needs the parsed
 * schemas.
 */
function keepDefinition(whole: ListedTool, { members }: ToolBody): ListedTool {
  const kept = new KeptDefinition(whole, members.text);
  keepDigest(kept, digestOf(whole));
  return kept;
}

/** Fields of the wrong type are left out of a definition. All others are included, listed or not. */
function listedTool(tool: JsonObject, version: number | undefined): ListedTool {
  return {
    name: nameOf(tool),
    ...(version === undefined ? {} : { version }),
    ...readDefinition(tool, TOOL_FIELDS),
  };
}

function nameOf(entry: JsonObject): string {
  return String(entry["name"]);
}

// A tool definition of a large catalog. It keeps the schemas as listed text and parses them on access.

class KeptDefinition implements ListedTool {
  readonly name: string;
  declare readonly version?: number;
  declare readonly title?: string;
  declare readonly description?: string;
  declare readonly annotations?: unknown;
  /** Members of a JSON object, including both schemas. */
  readonly #members: string;

  constructor({ inputSchema: _input, outputSchema: _output, ...rest }: ListedTool, members: string) {
    this.name = rest.name;
    Object.assign(this, rest);
    this.#members = members;
  }

  get inputSchema(): unknown {
    return this.#read()["inputSchema"];
  }

  get outputSchema(): unknown {
    return this.#read()["outputSchema"];
  }

  #read(): JsonObject {
    return JSON.parse(`{${this.#members}}`);
  }
}

// Reads what a server says of a tool or prompt beside its name: every member, so that an approval notices any
// change of the listing (POL-9).

/** Members with a field of their own in a definition: the field, and the check for its value. */
type Fields = ReadonlyMap<string, readonly [keyof ToolDefinition, (value: unknown) => boolean]>;

const isText = (value: unknown): boolean => typeof value === "string";
const isAny = (value: unknown): boolean => value !== undefined;

const TOOL_FIELDS: Fields = new Map([
  ["title", ["title", isText]],
  ["description", ["description", isText]],
  ["inputSchema", ["inputSchema", isAny]],
  ["outputSchema", ["outputSchema", isAny]],
  ["annotations", ["annotations", isJsonObject]],
  ["icons", ["icons", isAny]],
]);

export const PROMPT_FIELDS: Fields = new Map([
  ["title", ["title", isText]],
  ["description", ["description", isText]],
  ["arguments", ["inputSchema", isAny]],
  ["icons", ["icons", isAny]],
]);

/** Naming keys that another Onym adds; a rename does not change what a tool is. */
const NAMING: ReadonlySet<string> = new Set([
  "name",
  "canonical_name",
  "openai_name",
  "cursor_name",
  "source_server",
  "toolbox_name",
]);

export function readDefinition(listed: JsonObject, fields: Fields): ToolDefinition {
  const known: [string, unknown][] = [];
  const others: [string, unknown][] = [];
  for (const [key, value] of Object.entries(listed)) {
    if (NAMING.has(key) || key === "_meta") continue;
    const [field, isFit] = fields.get(key) ?? [];
    if (field === undefined || isFit === undefined) others.push([key, value]);
    else if (isFit(value)) known.push([field, value]);
  }
  const meta = readMeta(listed["_meta"]);
  return {
    ...Object.fromEntries(known),
    ...(meta === undefined ? {} : { _meta: meta }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

function readMeta(meta: unknown): unknown {
  if (!isJsonObject(meta)) return meta;
  const kept = Object.entries(meta).filter(([key]) => !OWN_META.has(key) && !key.startsWith("onym/"));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

// Builds the offer of each inventory once, and keeps it as long as the inventory is in force.

interface KeptOffer {
  readonly admits: ServerSettings["admits"];
  readonly references: boolean;
  readonly offer: Offer;
}

const NOTHING: Offered = { tools: [], prompts: [] };

/** An inventory is replaced, never mutated, so its offer stays valid. */
const keptOffers = new WeakMap<object, KeptOffer>();
const staticCatalogs = new WeakMap<object, Offered>();

export function keepOffer(
  { launch, inventory }: Pick<Downstream, "launch" | "inventory">,
  server: ServerSettings,
  references: boolean,
): Offer {
  const offered = launch.kind === "static" ? staticCatalog(server) : inventory;
  if (offered === undefined) return readOffer(NOTHING, server, references);
  const kept = keptOffer(offered, server, references);
  if (kept !== undefined) return kept;
  const offer = readOffer(offered, server, references);
  keptOffers.set(offered, { admits: server.admits, references, offer });
  return offer;
}

/** Small inventories take at most this many steps (of 50 tools or 8 KB) at once. */
export const FIRST_STEPS = 20;

/**
 * Builds the offer of an inventory, in slices if it is large, so that `keepOffer` finds it ready (SAFE-4).
 * `undefined` if it is ready.
 */
export function prepareOffer(
  { inventory, launch }: Pick<Downstream, "launch" | "inventory">,
  server: ServerSettings,
  references: boolean,
): Promise<void> | undefined {
  if (inventory === undefined || launch.kind === "static" || failed.has(inventory)) return undefined;
  if (keptOffer(inventory, server, references) !== undefined) return undefined;
  const { prompts } = inventory;
  const { admits } = server;
  const keep = (offer: Offer): void => void keptOffers.set(inventory, { admits, references, offer });
  // The next synchronous build reports the error.
  const fail = (): void => void failed.add(inventory);
  try {
    if (toolNamesOf(inventory).length >= MANY_TOOLS)
      return loadTools(inventory)
        .then((tools) => runInSlices(offerSteps({ tools, prompts }, server, references)))
        .then(keep, fail);
    const steps = offerSteps({ tools: inventory.tools, prompts }, server, references);
    const made = runFirstSteps(steps, FIRST_STEPS);
    if (!("value" in made)) return made.then(keep, fail);
    keep(made.value);
  } catch {
    fail();
  }
  return undefined;
}

/** The number of tools and prompts of all servers whose offers are built. */
export function countOffered(
  states: readonly (Pick<Downstream, "inventory"> | undefined)[],
  { servers, naming: { references } }: Pick<GatewaySettings, "servers" | "naming">,
): number {
  let count = 0;
  for (const [index, state] of states.entries()) {
    const server = servers[index];
    const offered = state?.inventory;
    const offer =
      server === undefined || offered === undefined ? undefined : keptOffer(offered, server, references);
    count += (offer?.tools.length ?? 0) + (offer?.prompts.length ?? 0);
  }
  return count;
}

const failed = new WeakSet<object>();

function keptOffer(offered: object, { admits }: ServerSettings, references: boolean): Offer | undefined {
  const kept = keptOffers.get(offered);
  return kept?.admits === admits && kept.references === references ? kept.offer : undefined;
}

/** Tools of the config. Their versions come from the operator and are not listed. */
function staticCatalog({ source }: ServerSettings): Offered {
  const kept = staticCatalogs.get(source);
  if (kept !== undefined) return kept;
  const versions = new Map<object, number>();
  const tools = source.tools.map((tool) => {
    if (typeof tool === "string") return { name: tool };
    const { version, ...listed } = tool;
    if (version !== undefined) versions.set(listed, version);
    return listed;
  });
  const catalog = { tools, prompts: [], versions };
  staticCatalogs.set(source, catalog);
  return catalog;
}
