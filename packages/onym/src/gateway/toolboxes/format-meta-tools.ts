// The gateway's own tools in one caller's list.

import type { Caller } from "../caller.js";
import type { GatewaySettings, ToolboxMode } from "../settings.js";
import { META_TOOLS, type MetaToolNames, metaToolNames } from "./meta-tool-names.js";
import { buildMetaTools } from "./meta-tools.js";

/** Entries, separated by commas. */
export function formatMetaTools(caller: Caller, settings: GatewaySettings): string {
  return buildMetaTools({
    mode: modeFor(caller, settings),
    toolboxes: settings.toolboxes.map(({ id }) => id),
    names: namesFor(caller, settings),
  })
    .map((tool) => JSON.stringify(tool))
    .join(",");
}

/** A client without a session has no list of its own that could grow: it reaches tools through `use_tool`. */
export function modeFor({ session }: Caller, { mode }: GatewaySettings): ToolboxMode {
  return mode === "dynamic" && session === undefined ? "proxy" : mode;
}

export function namesFor({ profile, as }: Caller, { naming }: GatewaySettings): MetaToolNames {
  const alias = as ?? naming.as;
  return metaToolNames(profile, alias === undefined ? {} : { as: alias });
}

/** No tool of a downstream may be called one of these. */
export const OWN_TOOL_NAMES: readonly string[] = META_TOOLS.flatMap((base) => [base, `onym_${base}`]);
