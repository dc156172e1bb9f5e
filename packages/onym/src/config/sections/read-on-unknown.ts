// Where calls to unknown names go (RES-3): nowhere, or to one downstream that exists and is meant.

import { quoteText } from "@onym/core";
import type { ConfigServer, OnUnknown } from "../config.js";
import type { ConfigProblem } from "../config-problem.js";
import { didYouMean } from "../json/near-text.js";
import type { ConfigFile } from "../schema/config-schema.js";

export const REJECT: OnUnknown = { kind: "reject" };

type OnUnknownProblem = Pick<ConfigProblem, "code" | "message" | "fix">;

/** A value of a wrong type was reported before and counts as `reject` here. */
export function readOnUnknown(
  written: ConfigFile["onUnknown"],
  servers: readonly ConfigServer[],
): OnUnknown | OnUnknownProblem {
  if (written === "passthrough") return onlyServer(servers);
  if (typeof written !== "object" || typeof written?.passthrough !== "string") return REJECT;
  const { passthrough: id, toolbox } = written;
  const meant = servers.filter(
    ({ source }) => source.server === id && (toolbox === undefined || source.toolbox === toolbox),
  );
  const [server, another] = meant;
  if (server !== undefined && another === undefined) return passTo(server);
  if (server === undefined) {
    const inside = toolbox === undefined ? "" : ` in the toolbox ${quoteText(toolbox)}`;
    return {
      code: "unknown-server",
      message: `There is no server ${quoteText(id)}${inside} that unknown names could go to.`,
      fix: `${didYouMean(id, idsOf(servers))}Name a server of this file that is not disabled.`,
    };
  }
  return {
    code: "ambiguous-server",
    message: `Several servers are called ${quoteText(id)}, in ${meant.map(showToolbox).join(", ")}.`,
    fix: 'Say which one: {"passthrough": "SERVER", "toolbox": "TOOLBOX"}.',
  };
}

function onlyServer(servers: readonly ConfigServer[]): OnUnknown | OnUnknownProblem {
  const [server, another] = servers;
  if (server !== undefined && another === undefined) return passTo(server);
  return {
    code: "ambiguous-server",
    message: `"passthrough" alone needs exactly one server; there are ${servers.length}.`,
    fix: `Name the one that gets unknown names: {"passthrough": ${quoteText(server?.source.server ?? "SERVER")}}.`,
  };
}

function passTo({ source }: ConfigServer): OnUnknown {
  return { kind: "passthrough", server: source.server, toolbox: source.toolbox };
}

function idsOf(servers: readonly ConfigServer[]): readonly string[] {
  return servers.map(({ source }) => source.server);
}

function showToolbox({ source }: ConfigServer): string {
  return source.toolbox === undefined ? "no toolbox" : quoteText(source.toolbox);
}
