// Parses the arguments of the gateway's own tools into values, or a problem that the model can act on.
// Unknown keys are ignored; an object may come as its JSON text, as some models send it. `toolbox_name` and
// `tool_name` are the keys of mcp-workbench (BOX-9).

import { isReadableText } from "../../mcp/fast-path/parse-large.js";
import { isJsonObject, type JsonObject, ownValue, parseJson } from "../../mcp/json.js";

export type ReadResult<T> =
  | { readonly ok: true; readonly value: T }
  /** One sentence for the model. */
  | { readonly ok: false; readonly problem: string };

export interface FindToolsArguments {
  /** Empty: the first tools of the catalog. */
  readonly query: string;
  readonly toolbox: string | undefined;
  readonly limit: number;
}

export interface UseToolArguments {
  /** Any name of the tool; with server or toolbox, its raw name too (BOX-6). */
  readonly name: string;
  readonly server: string | undefined;
  readonly toolbox: string | undefined;
  readonly arguments: JsonObject;
}

const DEFAULT_LIMIT = 10;
const MAX_HITS = 100;
/** Names and questions are shorter, and refusals repeat them. */
const MAX_TEXT_LENGTH = 4_096;

/** For `open_toolbox` and `close_toolbox`. */
export function readToolboxArguments(given: unknown): ReadResult<{ readonly toolbox: string }> {
  const args = readObject(given, "The arguments");
  if (!args.ok) return args;
  const toolbox = readText(args.value, ["toolbox", "toolbox_name", "name"]);
  if (!toolbox.ok) return toolbox;
  return toolbox.value === undefined ? refuse('"toolbox" is missing.') : fine({ toolbox: toolbox.value });
}

export function readFindToolsArguments(given: unknown): ReadResult<FindToolsArguments> {
  const args = readObject(given, "The arguments");
  if (!args.ok) return args;
  const query = ownValue(args.value, "query") ?? "";
  if (typeof query !== "string") return refuse('"query" must be a text.');
  if (query.length > MAX_TEXT_LENGTH) return refuse(tooLong("query"));
  const toolbox = readText(args.value, ["toolbox"]);
  if (!toolbox.ok) return toolbox;
  const wished = ownValue(args.value, "limit") ?? DEFAULT_LIMIT;
  // Some models send numbers as text; ignore any other type.
  const limit = typeof wished === "number" || typeof wished === "string" ? Number(wished) : Number.NaN;
  if (!Number.isInteger(limit) || limit < 1) return refuse('"limit" must be a whole number from 1 up.');
  return fine({ query, toolbox: toolbox.value, limit: Math.min(limit, MAX_HITS) });
}

/**
 * @example
 * readUseToolArguments({ toolbox: "dev", server: "fs", tool: "read_file", arguments: '{"path":"a"}' });
 */
export function readUseToolArguments(given: unknown): ReadResult<UseToolArguments> {
  const args = readObject(given, "The arguments");
  if (!args.ok) return args;
  // `tool` itself may also hold the structured form: { tool: { toolbox, server, name } }.
  const target = ownValue(args.value, "tool");
  const named = isJsonObject(target) ? target : args.value;
  const name = readText(named, ["tool", "tool_name", "name"]);
  if (!name.ok) return name;
  if (name.value === undefined) return refuse('"tool" is missing: give the name of the tool to call.');
  const server = readText(named, ["server"]);
  if (!server.ok) return server;
  const toolbox = readText(named, ["toolbox", "toolbox_name"]);
  if (!toolbox.ok) return toolbox;
  const passed = readObject(ownValue(args.value, "arguments"), '"arguments"');
  if (!passed.ok) return passed;
  return fine({ name: name.value, server: server.value, toolbox: toolbox.value, arguments: passed.value });
}

function readObject(given: unknown, what: string): ReadResult<JsonObject> {
  if (given === undefined || given === null || given === "") return fine({});
  if (isJsonObject(given)) return fine(given);
  const isText = typeof given === "string";
  if (isText && !isReadableText(given)) return refuse(`${what} hold too many values.`);
  const parsed = isText ? parseJson(given) : undefined;
  if (parsed?.ok === true && isJsonObject(parsed.value)) return fine(parsed.value);
  return refuse(`${what} must be a JSON object${isText ? ", or the text of one" : ""}.`);
}

/** The first of these keys that is present; `undefined` if none is. */
function readText(args: JsonObject, keys: readonly string[]): ReadResult<string | undefined> {
  for (const key of keys) {
    const value = ownValue(args, key);
    if (value === undefined || value === null || value === "") continue;
    if (typeof value !== "string") return refuse(`"${key}" must be a text.`);
    return value.length > MAX_TEXT_LENGTH ? refuse(tooLong(key)) : fine(value);
  }
  return fine(undefined);
}

function tooLong(key: string): string {
  return `"${key}" must have at most ${MAX_TEXT_LENGTH} characters.`;
}

function fine<T>(value: T): ReadResult<T> {
  return { ok: true, value };
}

function refuse<T>(problem: string): ReadResult<T> {
  return { ok: false, problem };
}
