// Names: every tool, and for one client at a time the name that each has there. Columns come apart from rows, so that the first
// view is there before twenty tables are made.

import {
  type CatalogProblem,
  explainWhy,
  type NamedTool,
  type Profile,
  sentName,
  type Tool,
} from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { nameRulesFor } from "@onym/core/profiles";
import type { Steps } from "../../model/run-slices.js";
import type { ConsoleContext, Viewer } from "../console-context.js";

interface NameRow {
  readonly key: string;
  readonly canonical: string;
  readonly server: string;
  readonly toolbox?: string;
  readonly raw: string;
}

export interface NamesReport {
  readonly tools: readonly NameRow[];
  readonly profiles: readonly { readonly id: string; readonly title: string; readonly kind: string }[];
  /** Shown where nobody has picked others. */
  readonly usual: readonly string[];
  readonly as: string;
  readonly problems: readonly NameProblem[];
}

interface NameProblem {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly fix: string;
  /** Keys of the tools it is about. */
  readonly tools: readonly string[];
}

/** One client: by the position of the tool in `tools`. */
export interface NameColumn {
  readonly profile: string;
  /** Characters that a name may have; absent where nothing cuts. */
  readonly room?: number;
  readonly prefix: string;
  readonly cells: readonly NameCell[];
  readonly problems: readonly NameProblem[];
}

/** What the client shows, the length of Onym's part, how it came to be. `null`: the tool has no name there. */
type NameCell = readonly [sent: string, length: number, mark: string, why: string] | null;

export const USUAL = ["claude-code", "cursor", "vscode", "openai", "gemini", "universal"];
const MAX_PROBLEMS = 500;
/** Beyond, a text is cut for the page; the tool's own page has all of it. */
const MAX_TEXT = 300;

/** As many as tools may be are read one per step (SAFE-4). */
export function* toolsSteps({ gateway }: ConsoleContext, viewer: Viewer): Steps<readonly Tool[]> {
  const { tools } = gateway.snapshot().tools.catalog;
  if (viewer.isOperator) return tools;
  const sees = gateway.sees(viewer);
  const seen: Tool[] = [];
  for (const tool of tools) {
    if (sees(tool)) seen.push(tool);
    yield;
  }
  return seen;
}

export function* namesSteps(context: ConsoleContext, viewer: Viewer): Steps<NamesReport> {
  const { problems, tools: named } = context.gateway.snapshot();
  const tools = yield* toolsSteps(context, viewer);
  const rows: NameRow[] = [];
  for (const { key, canonical, server, toolbox, raw } of tools) {
    const owner = toolbox === undefined ? { server } : { server, toolbox };
    rows.push({ key, canonical: cut(canonical), ...owner, raw: cut(raw) });
    yield;
  }
  return {
    tools: rows,
    profiles: named.profiles.map(({ id, title, kind }) => ({ id, title, kind })),
    usual: USUAL,
    as: context.config().naming.as ?? DEFAULT_ALIAS,
    problems: yield* problemsSteps(problems, viewer, tools),
  };
}

export function* columnSteps(context: ConsoleContext, viewer: Viewer, profile: Profile): Steps<NameColumn> {
  const as = context.config().naming.as ?? DEFAULT_ALIAS;
  const { tools: inForce } = context.gateway.snapshot();
  const tools = yield* toolsSteps(context, viewer);
  // As it would be given out: to look records nothing.
  const table = yield* inForce.tableSteps(profile);
  const named = new Map<Tool, NamedTool>();
  for (const entry of table.tools) {
    named.set(entry.tool, entry);
    yield;
  }
  const cells: NameCell[] = [];
  for (const tool of tools) {
    cells.push(cellOf(named.get(tool), { viewer, profile, as }));
    yield;
  }
  const { maxLength } = nameRulesFor(profile, as);
  return {
    profile: profile.id,
    ...(Number.isFinite(maxLength) ? { room: maxLength } : {}),
    prefix: profile.client.prefix.replace("{server}", as),
    cells,
    problems: yield* problemsSteps(table.problems, viewer, tools),
  };
}

function cellOf(
  entry: NamedTool | undefined,
  { viewer, profile, as }: { readonly viewer: Viewer; readonly profile: Profile; readonly as: string },
): NameCell {
  if (entry === undefined) return null;
  const { name, why } = entry;
  // What is usual is not said ten thousand times.
  const reason = why.kind === "wish" ? "" : whyFor(why, viewer);
  return [cut(sentName(name, profile, as)), name.length, why.kind, reason];
}

/** For an operator in words, which may name other tools; a caller may not see those. */
export function whyFor(why: NamedTool["why"], { isOperator }: Viewer): string {
  return isOperator ? explainWhy(why) : why.kind;
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/**
 * Another one wherever names may be others: a page reads them again only then. Always the same for a caller that a rule
 * restricts, or it would tell of changes of what is hidden (GW-6).
 */
export function namesRevision(
  { gateway, config }: Pick<ConsoleContext, "gateway" | "config">,
  viewer: Viewer,
): string {
  if (!viewer.isOperator && !gateway.seesEverything(viewer)) return "";
  const numberOf = (value: object): number => {
    const known = numbers.get(value) ?? ++lastNumber;
    numbers.set(value, known);
    return known;
  };
  return `${numberOf(gateway.snapshot())}.${numberOf(config())}`;
}

function* problemsSteps(
  problems: readonly CatalogProblem[],
  { isOperator }: Viewer,
  seen: readonly Tool[],
): Steps<readonly NameProblem[]> {
  if (problems.length === 0) return [];
  // Problems name tools as people read them: by canonical name, or as they were listed.
  const keys = new Map<string, string>();
  for (const { canonical, key, server, toolbox, raw } of seen) {
    keys.set(`${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`, key);
    keys.set(canonical, key);
    yield;
  }
  const keyOf = (tool: string) => keys.get(tool);
  const shown: NameProblem[] = [];
  for (const { code, severity, message, fix, tools } of problems) {
    if (shown.length === MAX_PROBLEMS) break;
    yield;
    if (!isOperator && (tools.length === 0 || tools.some((tool) => keyOf(tool) === undefined))) continue;
    shown.push({
      code,
      severity,
      message: message.slice(0, 2_000),
      fix: fix.slice(0, 2_000),
      tools: tools.slice(0, 100).flatMap((tool) => keyOf(tool) ?? []),
    });
  }
  return shown;
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
