// Names: every tool, and for one client at a time the name that each has there. Columns come apart from rows, so that the first
// view is there before twenty tables are made.

import {
  type CatalogProblem,
  escapeText,
  explainWhy,
  type NamedTool,
  type Profile,
  sentName,
  type Tool,
} from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { nameRulesFor } from "@onym/core/profiles";
import { runInSlices } from "../../model/run-slices.js";
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

export function toolsFor({ gateway }: Pick<ConsoleContext, "gateway">, viewer: Viewer): readonly Tool[] {
  const { tools } = gateway.snapshot().tools.catalog;
  return viewer.isOperator ? tools : tools.filter(gateway.sees(viewer));
}

export function readNames(context: ConsoleContext, viewer: Viewer): NamesReport {
  const tools = toolsFor(context, viewer);
  const { problems } = context.gateway.snapshot();
  return {
    tools: tools.map(({ key, canonical, server, toolbox, raw }) => ({
      key,
      canonical: cut(canonical),
      server,
      ...(toolbox === undefined ? {} : { toolbox }),
      raw: cut(raw),
    })),
    profiles: context.gateway.snapshot().tools.profiles.map(({ id, title, kind }) => ({ id, title, kind })),
    usual: USUAL,
    as: context.config().naming.as ?? DEFAULT_ALIAS,
    problems: problemsFor(problems, viewer, tools),
  };
}

export async function readColumn(
  context: ConsoleContext,
  viewer: Viewer,
  profile: Profile,
): Promise<NameColumn> {
  const as = context.config().naming.as ?? DEFAULT_ALIAS;
  const tools = toolsFor(context, viewer);
  // As it would be given out: to look records nothing.
  const table = await runInSlices(context.gateway.snapshot().tools.tableSteps(profile));
  const named = new Map<Tool, NamedTool>(table.tools.map((entry) => [entry.tool, entry]));
  const { maxLength } = nameRulesFor(profile, as);
  return {
    profile: profile.id,
    ...(Number.isFinite(maxLength) ? { room: maxLength } : {}),
    prefix: profile.client.prefix.replace("{server}", as),
    cells: tools.map((tool) => {
      const entry = named.get(tool);
      if (entry === undefined) return null;
      const { name, why } = entry;
      // What is usual is not said ten thousand times.
      return [
        cut(sentName(name, profile, as)),
        name.length,
        why.kind,
        why.kind === "wish" ? "" : whyFor(why, viewer),
      ];
    }),
    problems: problemsFor(table.problems, viewer, tools),
  };
}

/** For an operator in words, which may name other tools; a caller may not see those. */
export function whyFor(why: NamedTool["why"], { isOperator }: Viewer): string {
  return isOperator ? explainWhy(why) : why.kind;
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** Another one wherever names may be others: a page reads them again only then. */
export function namesRevision({ gateway, config }: Pick<ConsoleContext, "gateway" | "config">): string {
  const numberOf = (value: object): number => {
    const known = numbers.get(value) ?? ++lastNumber;
    numbers.set(value, known);
    return known;
  };
  return `${numberOf(gateway.snapshot())}.${numberOf(config())}`;
}

function problemsFor(
  problems: readonly CatalogProblem[],
  { isOperator }: Viewer,
  seen: readonly Tool[],
): readonly NameProblem[] {
  if (problems.length === 0) return [];
  // Problems name tools as people read them: by canonical name, or as they were listed.
  const keys = new Map(
    seen.flatMap(({ canonical, key, server, toolbox, raw }) => [
      [escapeText(`${toolbox === undefined ? "" : `${toolbox}:`}${server}/${raw}`), key] as const,
      [escapeText(canonical), key] as const,
    ]),
  );
  // Some are escaped already.
  const keyOf = (tool: string) => keys.get(tool) ?? keys.get(escapeText(tool));
  return problems
    .filter(
      ({ tools }) => isOperator || (tools.length > 0 && tools.every((tool) => keyOf(tool) !== undefined)),
    )
    .slice(0, MAX_PROBLEMS)
    .map(({ code, severity, message, fix, tools }) => ({
      code,
      severity,
      message: message.slice(0, 2_000),
      fix: fix.slice(0, 2_000),
      tools: tools.slice(0, 100).flatMap((tool) => keyOf(tool) ?? []),
    }));
}

function cut(text: string): string {
  return text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`;
}
