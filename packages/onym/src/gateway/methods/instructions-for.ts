// The instructions a client gets when it connects: the toolboxes, and what each downstream says, with names that hold.

import type { Downstream } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { Visibility } from "../calls/guard.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext } from "../gateway-context.js";
import { createNameFinder } from "../listing/name-finder.js";
import { renderReferences } from "../references/render-references.js";
import { modeFor, namesFor } from "../toolboxes/format-meta-tools.js";
import { formatInstructions } from "./format-instructions.js";

export async function instructionsFor(caller: Caller, context: GatewayContext): Promise<string> {
  const { snapshot, guard } = await context.names.viewWithNames(caller);
  const seesServer = createServerCheck(snapshot, guard.visibility(snapshot, caller));
  const settings = context.settings();
  const names = createNameFinder(snapshot.tableOf(caller));
  const own = namesFor(caller, snapshot, settings);
  return formatInstructions({
    mode: modeFor(caller, settings),
    toolboxes: settings.toolboxes.map(({ id, description }) => ({ toolbox: id, description })),
    openTool: own.get("open_toolbox") ?? "open_toolbox",
    useTool: own.get("use_tool") ?? "use_tool",
    downstreams: snapshot.present.filter(seesServer).map((downstream) => {
      const { id, inventory } = downstream;
      const parts = snapshot.offerOf(downstream)?.findReferences(inventory?.instructions ?? "") ?? [];
      return { ...id, text: renderReferences(parts, (raw) => names(id, raw)) };
    }),
  });
}

/** Whether a caller sees anything of what a server lists; one that lists nothing is seen where it is reached (POL-9). */
function createServerCheck(
  snapshot: GatewaySnapshot,
  visibility: Visibility | undefined,
): (downstream: Downstream) => boolean {
  if (visibility === undefined && snapshot.confinement === undefined) return () => true;
  const seen = new Set<Downstream | undefined>();
  const listing = new Set<Downstream | undefined>();
  for (const tool of snapshot.tools.catalog.tools) {
    const owner = snapshot.ownerOf(tool);
    listing.add(owner);
    if (visibility?.sees(tool) !== false) seen.add(owner);
  }
  const { whole } = snapshot.confinement ?? { whole: snapshot };
  const listsItems = (of: GatewaySnapshot, owner: Downstream): boolean =>
    [of.promptsOf, of.resourcesOf, of.templatesOf].some((entriesOf) => entriesOf(owner).length > 0);
  return (owner) =>
    seen.has(owner) || listsItems(snapshot, owner) || !(listing.has(owner) || listsItems(whole, owner));
}
