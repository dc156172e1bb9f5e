// The instructions a client gets when it connects: the toolboxes, and what each downstream says, with names that hold.

import type { Caller } from "./caller.js";
import type { Desk } from "./desk.js";
import { formatInstructions } from "./format-instructions.js";
import { renderReferences } from "./references/render-references.js";
import { modeFor, namesFor } from "./toolboxes/format-meta-tools.js";
import { createNameFinder } from "./tools/name-finder.js";

export async function instructionsFor(caller: Caller, desk: Desk): Promise<string> {
  const { view } = await desk.names.secure(caller);
  const settings = desk.settings();
  const names = createNameFinder(view.tableOf(caller));
  const own = namesFor(caller, view, settings);
  return formatInstructions({
    mode: modeFor(caller, settings),
    toolboxes: settings.toolboxes.map(({ id, description }) => ({ toolbox: id, description })),
    openTool: own.get("open_toolbox") ?? "open_toolbox",
    useTool: own.get("use_tool") ?? "use_tool",
    downstreams: view.present.map((downstream) => {
      const { id, inventory } = downstream;
      const parts = view.offerOf(downstream)?.findReferences(inventory?.instructions ?? "") ?? [];
      return { ...id, text: renderReferences(parts, (raw) => names(id, raw)) };
    }),
  });
}
