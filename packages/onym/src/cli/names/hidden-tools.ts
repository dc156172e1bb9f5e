// Tools that the filters of a config hide: a command that is asked for one says so, instead of "gone" or "unknown" (NAME-8).

import {
  type CatalogProblem,
  type Lock,
  quoteText,
  type Resolution,
  type ResolveContext,
  type Snapshot,
  type Tool,
} from "@onym/core";
import type { Config } from "../../config/config.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import { nameServer } from "../../output/wording.js";

export interface HiddenTools {
  /** The hidden tool that a text would lead to if nothing were hidden. */
  readonly find: (
    text: string,
    options?: { readonly profile: string; readonly context: ResolveContext },
  ) => Tool | undefined;
}

export function createHiddenTools(
  config: Config,
  options: { readonly lock: Lock | undefined; readonly as?: string | undefined; readonly today: string },
): HiddenTools {
  if (config.servers.every(({ hidden }) => hidden.length === 0)) return { find: () => undefined };
  let whole: Snapshot | undefined;
  return {
    find(text, asked = { profile: "canonical", context: {} }) {
      whole ??= snapshotOf(withHidden(config), options);
      const resolution = whole.resolve(text, asked);
      const tool = resolution.outcome === "resolved" ? resolution.tool : undefined;
      return tool !== undefined && isHidden(tool, config) ? tool : undefined;
    },
  };
}

/** Only where a text leads nowhere is it of interest whom it would lead to. */
export function findHidden(
  hidden: HiddenTools,
  { text, resolution }: { readonly text: string; readonly resolution: Resolution },
  options: { readonly profile: string; readonly context: ResolveContext },
): Tool | undefined {
  const { outcome } = resolution;
  return outcome === "unknown" || outcome === "retired" ? hidden.find(text, options) : undefined;
}

function withHidden(config: Config): Config {
  const servers = config.servers.map((server) => {
    const { source, hidden } = server;
    return { ...server, source: { ...source, tools: [...source.tools, ...hidden] } };
  });
  return { ...config, servers };
}

function isHidden({ server, toolbox, raw }: Tool, { servers }: Config): boolean {
  return servers.some(
    ({ source, hidden }) =>
      source.server === server &&
      source.toolbox === toolbox &&
      hidden.some((tool) => (typeof tool === "string" ? tool : tool?.name) === raw),
  );
}

/** `the filters of the server "crm" hide` */
export function hidingFilters(tool: Tool): string {
  return `the filters of the server ${nameServer(tool)} hide`;
}

const TO_NOTHING: ReadonlyMap<string, string> = new Map([
  ["pin-to-nothing", "a pin"],
  ["rename-to-nothing", "a rename"],
]);

/** Pins and renames that lead to a hidden tool lead nowhere, but not because it does not exist. */
export function explainHidden(
  problems: readonly CatalogProblem[],
  hidden: HiddenTools,
): readonly CatalogProblem[] {
  return problems.map((problem) => {
    const meant = TO_NOTHING.get(problem.code);
    const [canonical = ""] = problem.tools;
    const tool = meant === undefined ? undefined : hidden.find(canonical);
    if (tool === undefined) return problem;
    return {
      ...problem,
      message: `${quoteText(canonical)} is meant by ${meant}, but ${hidingFilters(tool)} it.`,
      fix: `Let it through there (toolFilters), or take ${meant?.replace("a ", "the ")} out.`,
    };
  });
}
