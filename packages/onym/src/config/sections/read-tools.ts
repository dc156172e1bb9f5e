// The static tools of a server: a list in the config, or a JSON file with one (CFG-3).

import { dirname, isAbsolute, join } from "node:path";
import { type ListedTool, quoteText } from "@onym/core";
import type { Node } from "jsonc-parser";
import { type ConfigProblem, formatJsonPath } from "../config-problem.js";
import { type JsonDocument, parseJsonDocument, placeOfPath } from "../json/json-document.js";
import type { JsonPath, Place } from "../json/json-path.js";
import { propertiesOf, readValue } from "../json/read-value.js";
import { toolList } from "../schema/config-schema.js";
import { describeIssues } from "../schema/describe-issues.js";

/** Reads a file; a text in place of a throw says why it cannot be read. */
export type ReadText = (file: string) => { readonly text: string } | { readonly reason: string };

export interface StaticTools {
  readonly tools: readonly (string | ListedTool)[];
  readonly places: ReadonlyMap<string, Place>;
}

/** Tools that stand in a document, with their places. The list was checked before. */
export function collectTools(
  list: readonly unknown[],
  node: Node | undefined,
  document: JsonDocument,
): StaticTools {
  const places = new Map<string, Place>();
  const tools = list as readonly (string | ListedTool)[];
  tools.forEach((tool, index) => {
    const raw = typeof tool === "string" ? tool : tool.name;
    const at = node?.children?.[index]?.offset;
    if (at !== undefined && !places.has(raw)) places.set(raw, document.placeAt(at));
  });
  return { tools, places };
}

/** The tools of a file: a list, `{"tools": […]}`, or the answer to `tools/list` as it came. */
export function readToolsFile(
  file: string,
  readText: ReadText,
  relativeTo: "the config file" | "the current folder",
): StaticTools | { readonly problems: readonly ConfigProblem[] } {
  const read = readText(file);
  const whole: Place = { file, line: 1, column: 1 };
  if ("reason" in read) {
    return {
      problems: [
        {
          code: "unreadable-file",
          path: "",
          place: whole,
          message: `The tools file ${quoteText(file)} cannot be read: ${read.reason}.`,
          fix: `Correct the path; it is relative to ${relativeTo}.`,
        },
      ],
    };
  }
  const parsed = parseJsonDocument(read.text, file, 'Write a list of tools, such as ["get_leads"].');
  if (!parsed.ok) return { problems: [parsed.problem] };
  const { document } = parsed;
  const found = findList(document.root);
  if (found === undefined) {
    return {
      problems: [
        {
          code: "wrong-type",
          path: "",
          place: whole,
          message: "The tools file holds no list of tools.",
          fix: 'Write a list, an object with a list "tools", or the answer to tools/list.',
        },
      ],
    };
  }
  const problems: ConfigProblem[] = [];
  const value = readValue(found.node, found.path, { document, problems }) as readonly unknown[];
  for (const { path, ...issue } of describeIssues(toolList, value)) {
    const full = [...found.path, ...path];
    problems.push({ ...issue, path: formatJsonPath(full), place: placeOfPath(document, full) });
  }
  // A schema of a stranger may hold a key twice; it is passed on, not judged.
  const grave = problems.filter(({ code }) => code !== "duplicate-key");
  return grave.length > 0 ? { problems: grave } : collectTools(value, found.node, document);
}

/** The file meant by a `tools` text in a config. */
export function toolsFilePath(tools: string, configFile: string): string {
  return isAbsolute(tools) ? tools : join(dirname(configFile), tools);
}

function findList(root: Node): { readonly node: Node; readonly path: JsonPath } | undefined {
  if (root.type === "array") return { node: root, path: [] };
  for (const path of [["tools"], ["result", "tools"]]) {
    let node: Node | undefined = root;
    for (const key of path) {
      node =
        node?.type === "object"
          ? propertiesOf(node).find((property) => property.key === key)?.valueNode
          : undefined;
    }
    if (node?.type === "array") return { node, path };
  }
  return undefined;
}

/** A `tools` list that means "all of them" to GitHub Copilot, and is no catalog. */
export function isCopilotFilter(tools: unknown): boolean {
  return Array.isArray(tools) && tools.includes("*");
}
