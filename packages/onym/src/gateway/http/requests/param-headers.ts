// `Mcp-Param-…` headers (2026-07-28): arguments that a tool's schema wants repeated in headers, so that
// proxies can route by them. Schemas are untrusted: read within limits, never compiled (SAFE-3).

import { quoteText } from "@onym/core";
import { formatHeaderValue, parseHeaderValue } from "../../../mcp/header-value.js";
import { isJsonObject, type JsonObject, ownValue } from "../../../mcp/json.js";
import type { RpcError } from "../../../mcp/message.js";
import { CODES } from "../../../mcp/protocol.js";
import type { HeaderParam } from "./scan-header-params.js";

const PREFIX = "Mcp-Param-";
const DECIMAL = /^-?\d{1,400}(\.\d{1,400})?$/;

/**
 * The headers of a call, in the order of the declarations. Missing, null and non-scalar arguments give none.
 * @example
 * formatParamHeaders(declarations, { region: "eu" }); // [["Mcp-Param-Region", "eu"]]
 */
export function formatParamHeaders(
  declarations: readonly HeaderParam[],
  args: JsonObject,
): readonly (readonly [name: string, value: string])[] {
  return declarations.flatMap(({ path, header }) => {
    const text = textOf(valueAt(args, path));
    return text === undefined ? [] : [[`${PREFIX}${header}`, formatHeaderValue(text)] as const];
  });
}

/**
 * The first mismatch between headers and arguments; `undefined` if they agree. `headers` has lower-case
 * names.
 */
export function checkParamHeaders(
  declarations: readonly HeaderParam[],
  args: JsonObject,
  headers: ReadonlyMap<string, string>,
): RpcError | undefined {
  for (const { path, header, type } of declarations) {
    const value = valueAt(args, path);
    const text = textOf(value);
    // A header without an argument is ignored.
    if (text === undefined) continue;
    const name = `${PREFIX}${header}`;
    const about = `argument ${quoteText(path.join("."))}`;
    const sent = headers.get(name.toLowerCase());
    if (sent === undefined) return mismatch(name, `${about} is given, but the header ${name} is missing`);
    const parsed = parseHeaderValue(sent);
    if (parsed === undefined) return mismatch(name, `the header ${name} is not valid Base64 of UTF-8`);
    const isNumeric = type !== "string" && type !== "boolean" && typeof value === "number";
    const agrees = isNumeric && DECIMAL.test(parsed) ? Number(parsed) === value : parsed === text;
    if (!agrees)
      return mismatch(name, `the header ${name} says ${quoteText(parsed)}, ${about} says ${quoteText(text)}`);
  }
  return undefined;
}

function mismatch(header: string, body: string): RpcError {
  return {
    code: CODES.headerMismatch,
    message: `Headers and body disagree: ${body}.`,
    data: { mismatch: { header, body } },
  };
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) value = isJsonObject(value) ? ownValue(value, key) : undefined;
  return value;
}

/** Integers that JavaScript cannot represent exactly would be repeated wrongly, so they are left out. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value);
}
