// The gateway's own tools in one caller's list.

import type { NamingTable } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewaySettings, ToolboxMode } from "../settings.js";
import { formsOf, META_TOOLS, type MetaToolNames, metaToolNames } from "./meta-tool-names.js";
import { buildMetaTools, metaToolsFor } from "./meta-tools.js";

/** Entries, separated by commas. */
export function formatMetaTools(
  caller: Caller,
  settings: GatewaySettings,
  snapshot: Pick<GatewaySnapshot, "tools">,
): string {
  const mode = modeFor(caller, settings);
  const toolboxes = settings.toolboxes.map(({ id }) => id);
  if (metaToolsFor({ mode, toolboxes }).length === 0) return "";
  const { isWorkbench } = settings;
  return buildMetaTools({ mode, toolboxes, names: namesFor(caller, snapshot, settings), isWorkbench })
    .map((tool) => JSON.stringify(tool))
    .join(",");
}

/** A client without a session has no list of its own that could grow: it calls tools through `use_tool`. */
export function modeFor({ session }: Caller, { mode }: GatewaySettings): ToolboxMode {
  return mode === "dynamic" && session === undefined ? "proxy" : mode;
}

const made = new WeakMap<NamingTable, MetaToolNames>();

/**
 * This caller's names for them; computed once per table, which is specific to the caller's alias and the
 * settings.
 */
export function namesFor(
  { profile, as }: Caller,
  { tools }: Pick<GatewaySnapshot, "tools">,
  { isWorkbench }: Pick<GatewaySettings, "isWorkbench">,
): MetaToolNames {
  const table = tools.namesFor(profile, as === undefined ? {} : { as });
  const known = made.get(table);
  if (known !== undefined) return known;
  const isTaken = (name: string): boolean => table.toolNamed(name) !== undefined;
  const names = metaToolNames(profile, { as: table.as, isTaken, isWorkbench });
  made.set(table, names);
  return names;
}

/** Names that no server's tool may take, in any spelling of a profile. */
export function ownToolNames(as: string = DEFAULT_ALIAS): readonly string[] {
  return [...new Set(META_TOOLS.flatMap((base) => [...formsOf(base, DEFAULT_ALIAS), ...formsOf(base, as)]))];
}
