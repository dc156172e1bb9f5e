// What a tool says of itself, for a person who decides about it: nothing in it can hide, reorder or end a line (SAFE-1).

import { escapeText, quoteText, type ToolDefinition } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import { formatTable } from "../../output/format-table.js";
import type { Terminal } from "../../output/terminal.js";
import { wrapText } from "../../output/wrap-text.js";

/** More than anybody reads; what is beyond is counted, not passed over. */
const MAX_TEXT_LENGTH = 20_000;
const MAX_VALUE_LENGTH = 200;
const MAX_FIELDS = 100;
const INDENT = "    ";

export function formatDefinition(
  definition: ToolDefinition,
  { paint, columns }: Pick<Terminal, "paint" | "columns">,
): readonly string[] {
  const {
    title,
    description,
    inputSchema,
    outputSchema,
    annotations,
    icons,
    _meta: meta,
    others,
  } = definition;
  const head = (text: string): string => `  ${paint("dim", text)}`;
  const prose = typeof description === "string" && description !== "" ? showProse(description) : undefined;
  return [
    ...(title === undefined ? [] : [`${head("title")}  ${quoteText(String(title), MAX_VALUE_LENGTH)}`]),
    ...(prose === undefined
      ? [`${head("description")}  none`]
      : [head("description"), ...prose.flatMap((line) => wrapText(line, { columns, indent: INDENT }))]),
    ...formatSchema("input", inputSchema, { head, paint }),
    ...(outputSchema === undefined ? [] : formatSchema("output", outputSchema, { head, paint })),
    ...formatMembers("annotations", annotations, head),
    ...(icons === undefined ? [] : [`${head("icons")}  ${showValue(icons)}`]),
    ...formatMembers("_meta", meta, head),
    ...formatMembers("others", others, head),
  ];
}

/** Every line of its own, escaped; a very long text ends with how much more there is. */
function showProse(text: string): readonly string[] {
  const lines = text.slice(0, MAX_TEXT_LENGTH).split(/\r?\n/).map(escapeText);
  const left = text.length - MAX_TEXT_LENGTH;
  return left <= 0
    ? lines
    : [...lines, `… and ${left} characters more: onym approvals --json shows them all`];
}

interface SchemaStyle {
  readonly head: (text: string) => string;
  readonly paint: Terminal["paint"];
}

/** The fields of an object, one a line; anything else in short. */
function formatSchema(what: string, schema: unknown, { head, paint }: SchemaStyle): readonly string[] {
  if (!isObject(schema))
    return [`${head(what)}  ${schema === undefined ? "not declared" : showValue(schema)}`];
  const { properties, required } = schema;
  if (!isObject(properties)) return [`${head(what)}  ${showValue(schema)}`];
  const names = Object.keys(properties);
  if (names.length === 0) return [`${head(what)}  no fields`];
  const needed = new Set<unknown>(Array.isArray(required) ? required : []);
  const rows = names.slice(0, MAX_FIELDS).map((name) => {
    const field = properties[name];
    const about = isObject(field) ? field["description"] : undefined;
    return [
      `${INDENT}${escapeText(name.slice(0, MAX_VALUE_LENGTH))}`,
      showType(field),
      needed.has(name) ? "required" : "",
      typeof about === "string" ? quoteText(about, MAX_VALUE_LENGTH) : "",
    ];
  });
  const left = names.length - MAX_FIELDS;
  return [
    head(what),
    ...formatTable(rows, paint),
    ...(left > 0 ? [`${INDENT}… and ${left} fields more`] : []),
  ];
}

function showType(field: unknown): string {
  if (!isObject(field)) return showValue(field);
  const { type, items, enum: values } = field;
  if (Array.isArray(values)) return `one of ${showValue(values)}`;
  if (type === "array" && isObject(items)) return `array of ${showType(items)}`;
  if (typeof type === "string") return escapeText(type.slice(0, MAX_VALUE_LENGTH));
  return type === undefined ? "any" : showValue(type);
}

/** Names and values on one line. */
function formatMembers(what: string, value: unknown, head: (text: string) => string): readonly string[] {
  if (!isObject(value)) return value === undefined ? [] : [`${head(what)}  ${showValue(value)}`];
  const names = Object.keys(value);
  const shown = names
    .slice(0, MAX_FIELDS)
    .map((name) => `${escapeText(name.slice(0, MAX_VALUE_LENGTH))} ${showValue(value[name])}`);
  const left = names.length - MAX_FIELDS;
  const more = left > 0 ? `, and ${left} more` : "";
  return shown.length === 0 ? [] : [`${head(what)}  ${shown.join(", ")}${more}`];
}

function showValue(value: unknown): string {
  const text = escapeText(canonicalJson(value ?? null));
  return text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_VALUE_LENGTH)}… (${text.length} characters)`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
