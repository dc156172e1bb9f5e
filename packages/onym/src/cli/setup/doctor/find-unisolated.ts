// Servers that policy asks about although they could answer for themselves: they run as the user, with nothing in between
// (SAFE-7).

import { quoteText } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import type { Config, ConfigServer } from "../../../config/config.js";
import { compileRule } from "../../../policy/compile-rule.js";

export interface Unisolated {
  readonly message: string;
  readonly fix: string;
}

/** `undefined` where policy never asks, or asks only about servers that are isolated or run elsewhere. */
export function findUnisolated(config: Config): Unisolated | undefined {
  const servers = config.servers.filter((server) => isUnisolated(server) && mayAsk(config, server));
  if (servers.length === 0) return undefined;
  const shown = servers.slice(0, MAX_SHOWN).map(({ source }) => quoteText(source.server));
  const more = servers.length - shown.length;
  const names = [...shown, ...(more > 0 ? [`${more} more`] : [])].join(", ");
  return {
    message: `Policy asks about calls to ${names}, but nothing keeps what is started there from Onym's own files: as the same user it could approve itself.`,
    fix: 'Set "isolation" in the entry: "bubblewrap", or a command that starts it as another user or in a container.',
  };
}

const MAX_SHOWN = 5;

function isUnisolated({ entry: { command, isolation = "none", disabled } }: ConfigServer): boolean {
  return command !== undefined && isolation === "none" && disabled !== true;
}

function mayAsk({ policy }: Config, { source }: ConfigServer): boolean {
  if (policy.default === "ask" || policy.newTools === "ask") return true;
  const asking = policy.rules.filter(({ effect }) => effect === "ask");
  if (asking.length === 0) return false;
  const [owner] = buildCatalog([{ ...source, tools: [] }]).servers;
  return owner !== undefined && asking.some((rule, index) => compileRule(rule, index).matchOwner(owner));
}
