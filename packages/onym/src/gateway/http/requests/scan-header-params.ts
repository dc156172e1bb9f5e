// Finds the `x-mcp-header` declarations in a tool's input schema, and what makes them invalid.

import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject, ownValue } from "../../../mcp/json.js";

/** An argument that is repeated in a header. */
export interface HeaderParam {
  /** Keys from the arguments down to the value. */
  readonly path: readonly string[];
  /** The part after `Mcp-Param-`. */
  readonly header: string;
  readonly type: "string" | "integer" | "boolean" | "number";
}

export type HeaderParamScan =
  | { readonly outcome: "valid"; readonly declarations: readonly HeaderParam[] }
  /**
   * The definition violates the protocol. `declarations` is empty, unless the only fault is the type
   * `number`: servers that accept it still compare headers.
   */
  | { readonly outcome: "invalid"; readonly reason: string; readonly declarations: readonly HeaderParam[] };

const KEY = "x-mcp-header";
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/;
const TYPES: ReadonlySet<unknown> = new Set(["string", "integer", "boolean", "number"]);
const MAX_DEPTH = 64;
const MAX_SCHEMAS = 20_000;

/**
 * Keywords that hold schemas outside the chain of `properties`: a declaration under one makes the definition
 * invalid.
 */
const OTHER_PLACES = new Map<string, "schemas" | "map">([
  ...["items", "prefixItems", "contains", "additionalProperties", "unevaluatedProperties"].map(schemas),
  ...["unevaluatedItems", "propertyNames", "oneOf", "anyOf", "allOf", "not", "if", "then", "else"].map(
    schemas,
  ),
  ...["patternProperties", "dependentSchemas", "$defs", "definitions"].map((key) => [key, "map"] as const),
]);

/**
 * @example
 * scanHeaderParams({ properties: { region: { type: "string", "x-mcp-header": "Region" } } });
 * // { outcome: "valid", declarations: [{ path: ["region"], header: "Region", type: "string" }] }
 */
export function scanHeaderParams(inputSchema: unknown): HeaderParamScan {
  const declarations: HeaderParam[] = [];
  const taken = new Map<string, readonly string[]>();
  let numberFault: string | undefined;
  let visited = 0;

  const declare = (schema: JsonObject, path: readonly string[], isOnChain: boolean): string | undefined => {
    const header = ownValue(schema, KEY);
    if (!isOnChain || path.length === 0)
      return `${showPlace(path)}: ${KEY} may only stand on an argument reached through "properties" alone.`;
    if (typeof header !== "string" || !TOKEN.test(header))
      return `${showPlace(path)}: ${KEY} must be a header name: letters, digits and !#$%&'*+-.^_\`|~.`;
    const type = ownValue(schema, "type");
    if (!TYPES.has(type)) return `${showPlace(path)}: ${KEY} needs the type string, integer or boolean.`;
    if (type === "number")
      numberFault ??= `${showPlace(path)}: ${KEY} needs the type string, integer or boolean, not number.`;
    const other = taken.get(header.toLowerCase());
    if (other !== undefined)
      return `${showPlace(path)}: the header ${quoteText(header)} is declared twice, here and at ${showPlace(other)}.`;
    taken.set(header.toLowerCase(), path);
    declarations.push({ path, header, type: type as HeaderParam["type"] });
    return undefined;
  };

  // If a schema is too deep or too large to scan fully, what was found counts: its tool is still useful.
  const visit = (node: unknown, path: readonly string[], isOnChain: boolean): string | undefined => {
    if (!isJsonObject(node) || path.length > MAX_DEPTH || ++visited > MAX_SCHEMAS) return undefined;
    if (Object.hasOwn(node, KEY)) {
      const fault = declare(node, path, isOnChain);
      if (fault !== undefined) return fault;
    }
    const properties = ownValue(node, "properties");
    if (isJsonObject(properties)) {
      for (const [key, child] of Object.entries(properties)) {
        const fault = visit(child, [...path, key], isOnChain);
        if (fault !== undefined) return fault;
      }
    }
    for (const [keyword, holds] of OTHER_PLACES) {
      for (const child of childrenIn(ownValue(node, keyword), holds)) {
        const fault = visit(child, [...path, `<${keyword}>`], false);
        if (fault !== undefined) return fault;
      }
    }
    return undefined;
  };

  const fault = visit(inputSchema, [], true);
  if (fault !== undefined) return { outcome: "invalid", reason: numberFault ?? fault, declarations: [] };
  if (numberFault !== undefined) return { outcome: "invalid", reason: numberFault, declarations };
  return { outcome: "valid", declarations };
}

/** Made only where it is told: to join long keys for many places takes long (SAFE-4). */
function showPlace(path: readonly string[]): string {
  return quoteText(path.join("."));
}

function childrenIn(value: unknown, holds: "schemas" | "map"): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (!isJsonObject(value)) return [];
  return holds === "map" ? Object.values(value) : [value];
}

function schemas(key: string): readonly [string, "schemas"] {
  return [key, "schemas"];
}
