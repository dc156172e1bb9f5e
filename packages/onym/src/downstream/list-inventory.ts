// What a downstream offers: every list it announces, all pages of each, within bounds. One bad list spoils no other.

import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject, ownValue } from "../rpc/json.js";
import type { Reply } from "../rpc/reply.js";
import type { Ask, Inventory } from "./downstream.js";
import type { Hello } from "./link.js";
import { buildOwnAsk } from "./own-ask.js";

export interface ListOptions {
  readonly hello: Hello;
  readonly ask: (ask: Ask) => Promise<Reply>;
  /** Entries of one list, over all pages. */
  readonly listEntries: number;
  /** For one page. */
  readonly timeoutMs: number;
  /** What it offered before: a list that fails now is kept as it was. */
  readonly before: Inventory | undefined;
}

type ListName = "tools" | "resources" | "templates" | "prompts";

interface List {
  readonly name: ListName;
  /** The capability that announces it. */
  readonly capability: string;
  readonly method: string;
  /** The field of the result. */
  readonly field: string;
  /** The string that each entry must have. */
  readonly key: string;
}

const LISTS: readonly List[] = [
  { name: "tools", capability: "tools", method: "tools/list", field: "tools", key: "name" },
  { name: "resources", capability: "resources", method: "resources/list", field: "resources", key: "uri" },
  {
    name: "templates",
    capability: "resources",
    method: "resources/templates/list",
    field: "resourceTemplates",
    key: "uriTemplate",
  },
  { name: "prompts", capability: "prompts", method: "prompts/list", field: "prompts", key: "name" },
];

const MAX_PAGES = 1000;

/** Methods that change a list, and so ask for a new listing. */
export const LIST_CHANGES: ReadonlySet<string> = new Set([
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/prompts/list_changed",
]);

export async function listInventory(options: ListOptions): Promise<Inventory> {
  const { hello } = options;
  const listed = await Promise.all(
    LISTS.map((list) =>
      isJsonObject(ownValue(hello.capabilities, list.capability)) ? listAll(list, options) : NOTHING,
    ),
  );
  const [tools = NOTHING, resources = NOTHING, templates = NOTHING, prompts = NOTHING] = listed;
  return {
    capabilities: hello.capabilities,
    serverInfo: hello.serverInfo,
    instructions: hello.instructions,
    tools: tools.entries,
    resources: resources.entries,
    templates: templates.entries,
    prompts: prompts.entries,
    problems: listed.flatMap(({ problems }) => problems),
  };
}

/** Whether no page of its tools is missing because it could not be had. What is beyond the limits never is had. */
export function hasAllTools({ problems }: Inventory): boolean {
  return !problems.some((problem) => problem.startsWith(`tools/list ${FAILED}`));
}

const FAILED = "failed:";

interface Listed {
  readonly entries: readonly JsonObject[];
  readonly problems: readonly string[];
}

const NOTHING: Listed = { entries: [], problems: [] };

async function listAll(list: List, { ask, listEntries, timeoutMs, before }: ListOptions): Promise<Listed> {
  const { method, field, key } = list;
  const entries: JsonObject[] = [];
  const problems: string[] = [];
  const cursors = new Set<string>();
  let unreadable = 0;
  let cursor: string | undefined;
  for (let page = 1; ; page += 1) {
    const reply = await ask(buildOwnAsk(method, cursor === undefined ? {} : { cursor }, { timeoutMs }));
    const found = reply.kind === "result" ? ownValue(reply.result, field) : undefined;
    if (!Array.isArray(found)) {
      const why = reply.kind === "error" ? reply.error.message : `the answer has no list of ${field}`;
      problems.push(`${method} ${FAILED} ${quoteText(why, 200)}`);
      return { entries: page === 1 ? (before?.[list.name] ?? []) : entries, problems };
    }
    for (const entry of found) {
      if (!isJsonObject(entry) || typeof ownValue(entry, key) !== "string") unreadable += 1;
      else if (entries.length < listEntries) entries.push(entry);
      else {
        problems.push(`${method}: more than ${listEntries} entries; the rest is left out`);
        return { entries, problems: withUnreadable(problems, list, unreadable) };
      }
    }
    const next = reply.kind === "result" ? ownValue(reply.result, "nextCursor") : undefined;
    if (typeof next !== "string") break;
    if (cursors.has(next) || page >= MAX_PAGES) {
      problems.push(
        cursors.has(next)
          ? `${method}: the cursor ${quoteText(next)} came twice; listing ended there`
          : `${method}: more than ${MAX_PAGES} pages; the rest is left out`,
      );
      break;
    }
    cursors.add(next);
    cursor = next;
  }
  return { entries, problems: withUnreadable(problems, list, unreadable) };
}

function withUnreadable(
  problems: readonly string[],
  { method, key }: List,
  count: number,
): readonly string[] {
  if (count === 0) return problems;
  const entries = count === 1 ? "1 entry" : `${count} entries`;
  return [...problems, `${method}: ${entries} without a text "${key}" left out`];
}
