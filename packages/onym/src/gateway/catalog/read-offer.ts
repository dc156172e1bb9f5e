// What a server offers, ready to be named and listed. Built once per inventory.

import type { ListedTool, Tool } from "@onym/core";
import type { Inventory } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { MANY_TOOLS, runAtOnce, type Steps } from "../../model/run-slices.js";
import { type HeaderParam, scanHeaderParams } from "../http/requests/scan-header-params.js";
import { buildToolBody, type ToolBody } from "../listing/tool-body.js";
import { type FindReferences, referenceFinderSteps } from "../references/find-references.js";
import type { ServerSettings } from "../settings.js";
import { digestOf, keepDigest } from "./name-lock.js";
import { readDefinition, TOOL_FIELDS } from "./read-definition.js";

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
const STEP_LENGTH = 64 * 1024;
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
  const tools: ListedTool[] = [];
  /** If two tools share a name, the catalog compares their full definitions to pick one. */
  const isLarge = shown.length >= MANY_TOOLS && new Set(names).size === names.length;
  const bodies = new Map<Tool["definition"], ToolBody>();
  const headerParams = new Map<Tool["definition"], readonly HeaderParam[]>();
  let bodyLength = 0;
  let step = { tools: 0, length: 0 };
  for (const [index, tool] of shown.entries()) {
    if (index - step.tools >= STEP_TOOLS || bodyLength - step.length >= STEP_LENGTH) {
      step = { tools: index, length: bodyLength };
      yield;
    }
    const body = buildToolBody(tool, findReferences);
    const whole = listedTool(tool, inventory.versions?.get(tool));
    const listed = isLarge && body.isFaithful ? keepDefinition(whole, body) : whole;
    tools.push(listed);
    bodies.set(listed, body);
    bodyLength += body.length;
    const { declarations } = scanHeaderParams(tool["inputSchema"]);
    if (declarations.length > 0) headerParams.set(listed, declarations);
  }
  return {
    tools,
    bodies,
    bodyLength,
    headerParams,
    prompts: inventory.prompts.map((prompt) => ({ name: nameOf(prompt) })),
    promptJson: new Map(inventory.prompts.map((prompt) => [nameOf(prompt), prompt])),
    findReferences,
  };
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
