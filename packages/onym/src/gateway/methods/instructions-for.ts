// The instructions a client gets when it connects: the toolboxes, and what each downstream says, with names that hold.

import type { Downstream } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { CallerSight } from "../calls/guard.js";
import type { View } from "../catalog/gateway-snapshot.js";
import type { Desk } from "../gateway-context.js";
import { createNameFinder } from "../listing/name-finder.js";
import { renderReferences } from "../references/render-references.js";
import { modeFor, namesFor } from "../toolboxes/format-meta-tools.js";
import { formatInstructions } from "./format-instructions.js";

export async function instructionsFor(caller: Caller, desk: Desk): Promise<string> {
  const { view, guard } = await desk.names.secure(caller);
  const seesServer = createServerCheck(view, guard.sight(view, caller));
  const settings = desk.settings();
  const names = createNameFinder(view.tableOf(caller));
  const own = namesFor(caller, view, settings);
  return formatInstructions({
    mode: modeFor(caller, settings),
    toolboxes: settings.toolboxes.map(({ id, description }) => ({ toolbox: id, description })),
    openTool: own.get("open_toolbox") ?? "open_toolbox",
    useTool: own.get("use_tool") ?? "use_tool",
    downstreams: view.present.filter(seesServer).map((downstream) => {
      const { id, inventory } = downstream;
      const parts = view.offerOf(downstream)?.findReferences(inventory?.instructions ?? "") ?? [];
      return { ...id, text: renderReferences(parts, (raw) => names(id, raw)) };
    }),
  });
}

/** Whether a caller sees anything of what a server lists; one that lists nothing is seen where it is reached (POL-9). */
function createServerCheck(view: View, sight: CallerSight | undefined): (downstream: Downstream) => boolean {
  if (sight === undefined && view.confinement === undefined) return () => true;
  const seen = new Set<Downstream | undefined>();
  const listing = new Set<Downstream | undefined>();
  for (const tool of view.tools.catalog.tools) {
    const owner = view.ownerOf(tool);
    listing.add(owner);
    if (sight?.sees(tool) !== false) seen.add(owner);
  }
  const { whole } = view.confinement ?? { whole: view };
  const listsItems = (of: View, owner: Downstream): boolean =>
    [of.promptsOf, of.resourcesOf, of.templatesOf].some((entriesOf) => entriesOf(owner).length > 0);
  return (owner) =>
    seen.has(owner) || listsItems(view, owner) || !(listing.has(owner) || listsItems(whole, owner));
}
