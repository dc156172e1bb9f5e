// --server and --toolbox: whose tool a raw name is. An id that the config does not have is a mistake, not "unknown".

import { quoteText, type ResolveContext } from "@onym/core";
import type { Config } from "../../config/config.js";
import { didYouMean } from "../../config/json/near-text.js";
import { showPath } from "../../model/show-path.js";
import { usageError } from "../usage-error.js";

export interface ContextOptions {
  readonly server?: string;
  readonly toolbox?: string;
}

/** @throws OnymError `usage` for ids that no server of the config has. */
export function contextOf({ server, toolbox }: ContextOptions, { servers, file }: Config): ResolveContext {
  const sources = servers.map(({ source }) => source);
  const boxes = sources.flatMap((source) => (source.toolbox === undefined ? [] : [source.toolbox]));
  if (toolbox !== undefined && !boxes.includes(toolbox)) {
    throw usageError(
      `No server in ${quoteText(showPath(file))} is in a toolbox ${quoteText(toolbox)}.`,
      choices(toolbox, boxes, "toolbox", "toolboxes"),
    );
  }
  const ids = sources
    .filter((source) => toolbox === undefined || source.toolbox === toolbox)
    .map((source) => source.server);
  if (server !== undefined && !ids.includes(server)) {
    const inside = toolbox === undefined ? "" : ` in the toolbox ${quoteText(toolbox)}`;
    throw usageError(
      `There is no server ${quoteText(server)}${inside} in ${quoteText(showPath(file))}.`,
      choices(server, ids, "server", "servers"),
    );
  }
  return { ...(server === undefined ? {} : { server }), ...(toolbox === undefined ? {} : { toolbox }) };
}

const SHOWN = 10;

function choices(asked: string, ids: readonly string[], one: string, many: string): string {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return `There are no ${many}; leave out --${one}.`;
  const shown = distinct.slice(0, SHOWN).map((id) => quoteText(id));
  const more = distinct.length > SHOWN ? ` and ${distinct.length - SHOWN} more` : "";
  return `${didYouMean(asked, distinct)}The ${many} are ${shown.join(", ")}${more}.`;
}
