// JSON tree → plain value, with variables filled in and every mistake noted with its path (CFG-2).

import { quoteText } from "@onym/core";
import type { Node } from "jsonc-parser";
import { type ConfigProblem, formatJsonPath } from "../config-problem.js";
import { type Environment, expandVariables } from "./expand-variables.js";
import type { JsonDocument } from "./json-document.js";
import type { JsonPath } from "./json-path.js";

export interface ReadValueInput {
  readonly document: JsonDocument;
  /** Absent: texts are taken as they stand. */
  readonly env?: Environment;
  /** Nobody fills in later what only an editor could: it is a mistake here. */
  readonly isFinal?: boolean;
  /** Mistakes are added here. */
  readonly problems: ConfigProblem[];
  /** Variables that were filled in are added here. */
  readonly filled?: FilledText[];
}

/** A text with variables of the environment in it. */
export interface FilledText {
  readonly path: string;
  /** Before they were filled in. */
  readonly written: string;
  /** Their values, by name. */
  readonly variables: ReadonlyMap<string, string>;
}

/** The value of a node. Objects have no prototype, so that no key of a stranger means anything (SAFE-1). */
export function readValue(node: Node, path: JsonPath, input: ReadValueInput): unknown {
  if (node.type === "array") {
    return (node.children ?? []).map((child, index) => readValue(child, [...path, index], input));
  }
  if (node.type === "object") {
    const value: Record<string, unknown> = Object.create(null);
    for (const { key, keyNode, valueNode } of propertiesOf(node)) {
      const inner = [...path, key];
      if (key in value) {
        input.problems.push({
          code: "duplicate-key",
          path: formatJsonPath(inner),
          place: input.document.placeAt(keyNode.offset),
          message: `The key ${quoteText(key)} stands here twice.`,
          fix: "Keep one of the two.",
        });
      }
      value[key] = readValue(valueNode, inner, input);
    }
    return value;
  }
  if (node.type !== "string" || input.env === undefined) return node.value as unknown;
  const { text, variables, problems, unfilled } = expandVariables(String(node.value), input.env);
  if (variables.size > 0)
    input.filled?.push({ path: formatJsonPath(path), written: String(node.value), variables });
  for (const problem of input.isFinal === true ? [...problems, ...unfilled] : problems) {
    input.problems.push({
      ...problem,
      path: formatJsonPath(path),
      place: input.document.placeAt(node.offset),
    });
  }
  return text;
}

export interface JsonProperty {
  readonly key: string;
  readonly keyNode: Node;
  readonly valueNode: Node;
}

export function propertiesOf(node: Node): readonly JsonProperty[] {
  return (node.children ?? []).flatMap((property) => {
    const [keyNode, valueNode] = property.children ?? [];
    if (keyNode === undefined || valueNode === undefined) return [];
    return [{ key: String(keyNode.value), keyNode, valueNode }];
  });
}
