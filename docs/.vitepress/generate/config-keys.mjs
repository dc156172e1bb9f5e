// Every key of the config, from the JSON Schema that editors use.

import { readFileSync } from "node:fs";

const schema = JSON.parse(
  readFileSync(new URL("../../../packages/onym/schema/onym.schema.json", import.meta.url), "utf8"),
);

export function configKeysPage() {
  const definitions = Object.entries(schema.definitions ?? {}).filter(([, each]) => rowsOf(each).length > 0);
  return [
    "# Every config key",
    "From the JSON Schema of the config. [Configuration](/config) explains with examples; every key is optional unless it says so.",
    "## The file",
    table(schema),
    ...definitions.flatMap(([name, each]) => [`## ${name}`, escapeText(each.description ?? ""), table(each)]),
  ].join("\n\n");
}

function table(each) {
  const rows = rowsOf(each).map(({ key, type, text }) => `| \`${key}\` | ${type} | ${text} |`);
  return ["| key | type | meaning |", "| --- | --- | --- |", ...rows].join("\n");
}

/** The keys of an object, those of objects in it with a dot before them. */
function rowsOf(each, prefix = "") {
  return Object.entries(each.properties ?? {}).flatMap(([name, value]) => {
    const key = prefix + name;
    const required = (each.required ?? []).includes(name) ? " Required." : "";
    const fallback = value.default === undefined ? "" : ` Default: \`${JSON.stringify(value.default)}\`.`;
    const text = `${escapeText(value.description ?? "")}${required}${fallback}`.trim();
    return [{ key, type: typeOf(value), text }, ...rowsOf(value, `${key}.`)];
  });
}

function typeOf(value) {
  if (value.$ref !== undefined) {
    const name = value.$ref.split("/").pop();
    return rowsOf(schema.definitions?.[name] ?? {}).length > 0 ? `[${name}](#${name.toLowerCase()})` : name;
  }
  if (value.const !== undefined) return `\`${JSON.stringify(value.const)}\``;
  if (value.enum !== undefined) return value.enum.map((each) => `\`${JSON.stringify(each)}\``).join(" ");
  const choices = value.anyOf ?? value.oneOf;
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(" or ");
  if (value.type === "array") return `list of ${typeOf(value.items ?? {})}`;
  if (value.type === "object" && value.additionalProperties?.$ref !== undefined)
    return `by id: ${typeOf(value.additionalProperties)}`;
  return Array.isArray(value.type) ? value.type.join(" or ") : (value.type ?? "any");
}

function escapeText(text) {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;").replaceAll("\n", " ");
}
