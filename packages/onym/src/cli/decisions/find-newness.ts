// Whether a tool is new for the gateway of a config, and how to admit it, for the commands that explain a tool.

import { escapeText, type Tool } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { hasStore } from "../../configured/store-place.js";
import type { Terminal } from "../../output/terminal.js";
import { shellWord } from "../../output/wording.js";
import type { KeyedTool } from "../store/name-keys.js";
import { loadNewTools } from "../store/new-tools.js";
import { useStore } from "../store/with-store.js";

/** `unseen`: no gateway has met its server yet; what that lists first is known. `undefined`: nothing is held back. */
export type Newness = "new" | "known" | "unseen" | undefined;

export async function findNewness(tool: Tool, config: Config, terminal: Terminal): Promise<Newness> {
  if (config.policy.newTools === "allow") return undefined;
  const { server, toolbox } = tool;
  const found = config.servers.find(({ source }) => source.server === server && source.toolbox === toolbox);
  if (found === undefined || !isReached(found)) return "known";
  if (!hasStore(config)) return "unseen";
  return useStore(config, terminal, async ({ store }) => {
    const isNew =
      store === undefined ? undefined : (await loadNewTools(config, store, terminal))?.isNew(tool);
    return isNew === undefined ? "unseen" : isNew ? "new" : "known";
  });
}

/** There is a server to ask. What stands in the config alone is the operator's own word. */
export function isReached({ entry: { command, url, httpUrl, serverUrl } }: ConfigServer): boolean {
  return (command ?? url ?? httpUrl ?? serverUrl) !== undefined;
}

export function explainNewness(newness: Newness, tool: Tool): string | undefined {
  if (newness === "new")
    return `the tool is new: it was not there when its server, as configured now, was first seen. ${howToAdmit(tool)} lets it in for everybody.`;
  if (newness === "unseen")
    return "no gateway has kept a list of this server yet; what it lists first is known, and what it adds later is new.";
  return undefined;
}

/** The command that ends the quarantine of a tool. */
export function howToAdmit(tool: KeyedTool): string {
  return ["onym policy admit", ...namingWords(tool)].join(" ");
}

/** What names a tool on a command line: its canonical name, or its raw name and whose it is. */
export function namingWords({ canonical, server, toolbox, raw }: KeyedTool): readonly string[] {
  if (canonical !== undefined) return [shellWord(escapeText(canonical))];
  const owner = toolbox === undefined ? [] : ["--toolbox", shellWord(toolbox), "--server", shellWord(server)];
  return [shellWord(escapeText(raw)), ...owner];
}
