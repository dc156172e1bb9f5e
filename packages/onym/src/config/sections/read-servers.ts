// The servers of a config, wherever they stand: at the top, under either key, and in toolboxes.

import type { ToolSource } from "@onym/core";
import type { ConfigServer } from "../config.js";
import { type ConfigProblem, formatJsonPath } from "../config-problem.js";
import { digestLaunch, NO_LAUNCH } from "../files/trust.js";
import { type JsonDocument, nodeOfPath, placeOfPath } from "../json/json-document.js";
import type { JsonPath, Place } from "../json/json-path.js";
import { readValue } from "../json/read-value.js";
import { checkServerKeys, isComment, runsSomething } from "../schema/check-keys.js";
import type { ServerEntry } from "../schema/config-schema.js";
import {
  collectTools,
  isCopilotFilter,
  type ReadText,
  readToolsFile,
  type StaticTools,
  toolsFilePath,
} from "./read-tools.js";
import { filtersOf, passesFilters } from "./tool-filters.js";

/** Some object, until its types are checked. */
interface UncheckedEntry {
  readonly envFile?: unknown;
  readonly tools?: unknown;
  readonly disabled?: unknown;
  readonly version?: unknown;
}

/** A server entry and where it stands; nothing about it is checked yet. */
export interface FoundServer {
  readonly path: JsonPath;
  readonly id: string;
  readonly toolbox: string | undefined;
  readonly entry: UncheckedEntry;
}

const SERVER_KEYS = ["mcpServers", "servers"];

/** Every server entry of a config that is an object at all. Types are checked elsewhere. */
export function findServers(value: object): readonly FoundServer[] {
  const found: FoundServer[] = [];
  const add = (holder: object, path: JsonPath, toolbox: string | undefined): void => {
    for (const key of SERVER_KEYS) {
      for (const [id, entry] of objectEntries(Reflect.get(holder, key))) {
        if (isObject(entry)) found.push({ path: [...path, key, id], id, toolbox, entry });
      }
    }
  };
  add(value, [], undefined);
  const settings: unknown = Reflect.get(value, "mcp");
  if (isObject(settings)) add(settings, ["mcp"], undefined);
  for (const [id, box] of objectEntries(Reflect.get(value, "toolboxes"))) {
    if (isObject(box)) add(box, ["toolboxes", id], id);
  }
  return found;
}

/**
 * Takes out versions that are the client's own: VS Code's gallery writes `"version": "1.0.3"` beside a command or url.
 * Only a number is Onym's there.
 */
export function dropClientVersions(value: object): void {
  for (const { entry } of findServers(value)) {
    if (typeof entry.version === "string" && runsSomething(Object.keys(entry)))
      Reflect.deleteProperty(entry, "version");
  }
}

/** Takes out what people write to each other beside the keys of a toolbox, such as `_comment` (BOX-9). */
export function dropToolboxComments(value: object): void {
  for (const [, box] of objectEntries(Reflect.get(value, "toolboxes"))) {
    if (isObject(box))
      for (const key of Object.keys(box)) if (isComment(key)) Reflect.deleteProperty(box, key);
  }
}

/** Reads one server; mistakes that the types do not show are added to `problems`. */
export function readServer(found: FoundServer, input: ReadServerInput): ConfigServer {
  const server = readFilled(found, input);
  const { trusted, filled } = input;
  const isTrusted = trusted === undefined || (server.runs && trusted.has(server.launchDigest));
  return isTrusted || filled.length === 0 ? server : withhold(server, found, input);
}

interface ReadServerInput {
  readonly document: JsonDocument;
  readonly problems: ConfigProblem[];
  readonly readText: ReadText;
  /** Variables of the entry that are not set. */
  readonly unfilled: readonly ConfigProblem[];
  /** Those that are. */
  readonly variables: ReadonlyMap<string, string>;
  /** The paths of the texts that they are in. */
  readonly filled: readonly string[];
  /** Digests of trusted launches; absent: all are. */
  readonly trusted: ReadonlySet<string> | undefined;
  /** Of the config. */
  readonly folder: string;
}

function readFilled({ path, id, toolbox, entry }: FoundServer, input: ReadServerInput): ConfigServer {
  const { document, problems, unfilled } = input;
  const note = (at: JsonPath, problem: Pick<ConfigProblem, "code" | "message" | "fix">): void => {
    problems.push({ ...problem, path: formatJsonPath(at), place: placeOfPath(document, at) });
  };
  const keys = Object.keys(entry);
  const written = asWritten(document, path);
  for (const { key, problem } of checkServerKeys(keys))
    note(key === undefined ? path : [...path, key], problem);
  const runs = runsSomething(keys);
  const found = runs && isCopilotFilter(entry.tools) ? undefined : readTools(entry.tools, path, input);
  const checked = entry as ServerEntry;
  const isFilled = unfilled.length === 0;
  const filters = filtersOf(checked);
  const isShown = (tool: ToolSource["tools"][number]): boolean =>
    passesFilters(typeof tool === "string" ? tool : tool?.name, filters);
  const tools = isFilled ? (found?.tools ?? []) : [];
  return {
    hidden: tools.filter((tool) => !isShown(tool)),
    source: isFilled
      ? sourceOf(id, toolbox, checked, found && tools.filter(isShown))
      : sourceOf(id, toolbox, identityOf(checked), undefined),
    isStatic: isFilled && found !== undefined,
    entry: checked,
    unfilled,
    variables: input.variables,
    runs,
    written,
    launchDigest: digestLaunch(input.folder, written),
    path: formatJsonPath(path),
    place: placeOfPath(document, path),
    toolPlaces: found?.places ?? new Map<string, Place>(),
  };
}

/**
 * The same without what variables of the environment say: whoever wrote the file chose which of them its names, tools and
 * address would show, and where they would be kept.
 */
function withhold(
  server: ConfigServer,
  { path, id, toolbox }: FoundServer,
  { filled, document }: ReadServerInput,
): ConfigServer {
  const written: ServerEntry = { ...server.written };
  const { envFile } = server.entry;
  const entry = { ...written, ...(envFile === undefined ? {} : { envFile }) };
  // A client's own version was taken out of the entry.
  if (server.entry.version === undefined) Reflect.deleteProperty(entry, "version");
  const isNamed = filled.some((text) =>
    [...NO_LAUNCH].some((key) => isIn(text, formatJsonPath([...path, key]))),
  );
  const withheld = { ...server, entry, variables: new Map<string, string>(), isWithheld: true };
  if (!isNamed) return withheld;
  const [at = server.path] = filled;
  const problem: ConfigProblem = {
    code: "missing-variable",
    path: at,
    place: placeOfPath(document, path),
    message: "Variables of the environment are not filled in before the config is trusted.",
    fix: server.runs
      ? "Look at it and trust it: onym trust."
      : "Write the value, or name the config with --config.",
  };
  return {
    ...withheld,
    source: sourceOf(id, toolbox, identityOf(entry), undefined),
    hidden: [],
    isStatic: false,
    unfilled: [...server.unfilled, problem],
    toolPlaces: new Map(),
  };
}

function isIn(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`) || path.startsWith(`${above}[`);
}

/** A part of the file before variables are filled in. */
export function asWritten(document: JsonDocument, path: JsonPath): object {
  const node = nodeOfPath(document, path);
  return node === undefined ? {} : Object(readValue(node, path, { document, problems: [] }));
}

/** What an entry says of its identity, as far as it is known: a variable that is not set says nothing. */
function identityOf({ integration, version, alias, names, speaksFor }: ServerEntry): ServerEntry {
  const isKnown = (text: string): boolean => !text.includes("${");
  return {
    version,
    names,
    ...(integration !== undefined && isKnown(integration) ? { integration } : {}),
    ...(alias !== undefined && isKnown(alias) ? { alias } : {}),
    ...(speaksFor?.every(isKnown) === true ? { speaksFor } : {}),
  };
}

function readTools(
  tools: unknown,
  path: JsonPath,
  input: { readonly document: JsonDocument; readonly problems: ConfigProblem[]; readonly readText: ReadText },
): StaticTools | undefined {
  if (Array.isArray(tools))
    return collectTools(tools, nodeOfPath(input.document, [...path, "tools"]), input.document);
  if (typeof tools !== "string") return undefined;
  const read = readToolsFile(toolsFilePath(tools, input.document.file), input.readText, "the config file");
  if (!("problems" in read)) return read;
  const at = formatJsonPath([...path, "tools"]);
  for (const problem of read.problems) {
    const isAboutPath = problem.code === "unreadable-file";
    input.problems.push({
      ...problem,
      path: problem.path === "" ? at : `${at} → ${problem.path}`,
      place: isAboutPath ? placeOfPath(input.document, [...path, "tools"]) : problem.place,
    });
  }
  return undefined;
}

function sourceOf(
  id: string,
  toolbox: string | undefined,
  entry: ServerEntry,
  tools: ToolSource["tools"] | undefined,
): ToolSource {
  const { integration, version, alias, formerly, names, speaksFor } = entry;
  return {
    server: id,
    ...(toolbox === undefined ? {} : { toolbox }),
    ...(integration === undefined ? {} : { integration }),
    ...(version === undefined ? {} : { version }),
    // A catalog announces nothing; the version that it was given is all that can be known of its server.
    ...(version === undefined || tools === undefined ? {} : { serverVersion: String(version) }),
    ...(alias === undefined ? {} : { alias }),
    ...(formerly === undefined ? {} : { formerly: typeof formerly === "string" ? [formerly] : formerly }),
    ...(names === undefined ? {} : { names }),
    ...(speaksFor === undefined ? {} : { speaksFor }),
    tools: tools ?? [],
  };
}

function objectEntries(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
