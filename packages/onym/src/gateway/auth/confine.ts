// What a caller that is confined to toolboxes has before it: the settings, the view and the desk without the rest. Tools
// are the guard's (POL-1); this is about everything else that would show or reach another toolbox.

import type { Resolution, Snapshot, Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { Desk, Sight } from "../desk.js";
import type { ResourceTable } from "../resources/uri-names.js";
import type { GatewaySettings } from "../settings.js";
import type { View } from "../view/view.js";

type Confined = Pick<Caller, "confinedTo">;

export function admitsToolbox({ confinedTo }: Confined, toolbox: string | undefined): boolean {
  return confinedTo === undefined || (toolbox !== undefined && confinedTo.includes(toolbox));
}

export function confineDesk(desk: Desk, caller: Confined): Desk {
  if (caller.confinedTo === undefined) return desk;
  const { toolboxes } = desk;
  return {
    ...desk,
    sight: () => confineSight(desk.sight(), caller),
    names: {
      ...desk.names,
      secure: (choice) => {
        const secured = desk.names.secure(choice);
        return secured instanceof Promise
          ? secured.then((sight) => confineSight(sight, caller))
          : confineSight(secured, caller);
      },
    },
    settings: () => confineSettings(desk.settings(), caller),
    toolboxes: {
      ...toolboxes,
      open: async (toolbox, holder) =>
        admitsToolbox(caller, toolbox) ? toolboxes.open(toolbox, holder) : { outcome: "unknown" },
      isOpen: (toolbox) => admitsToolbox(caller, toolbox) && toolboxes.isOpen(toolbox),
    },
  };
}

export function confineSettings(settings: GatewaySettings, caller: Confined): GatewaySettings {
  if (caller.confinedTo === undefined) return settings;
  const { passthrough } = settings;
  return {
    ...settings,
    servers: settings.servers.filter(({ source }) => admitsToolbox(caller, source.toolbox)),
    toolboxes: settings.toolboxes.filter(({ id }) => admitsToolbox(caller, id)),
    passthrough:
      passthrough !== undefined && admitsToolbox(caller, passthrough.toolbox) ? passthrough : undefined,
  };
}

export function confineSight(sight: Sight, caller: Confined): Sight {
  if (caller.confinedTo === undefined) return sight;
  return { ...sight, view: confineView(sight.view, caller) };
}

/** The same view for the same toolboxes, because what is known of a view is kept by it. */
const confined = new WeakMap<View, Map<string, View>>();

function confineView(view: View, caller: Confined): View {
  const made = confined.get(view) ?? new Map<string, View>();
  confined.set(view, made);
  const key = JSON.stringify(caller.confinedTo);
  const known = made.get(key) ?? buildConfinedView(view, caller);
  made.set(key, known);
  return known;
}

function buildConfinedView(view: View, caller: Confined): View {
  const admits = ({ id }: Downstream): boolean => admitsToolbox(caller, id.toolbox);
  const seesPrompt = ({ toolbox }: Tool): boolean => admitsToolbox(caller, toolbox);
  return {
    ...view,
    prompts: confinePrompts(view.prompts, seesPrompt),
    resources: confineResources(view.resources, admits),
    present: view.present.filter(admits),
    missing: view.missing.filter(admits),
    promptTableOf: (choice) => {
      const table = view.promptTableOf(choice);
      return { ...table, tools: table.tools.filter(({ tool }) => seesPrompt(tool)) };
    },
  };
}

function confinePrompts(prompts: Snapshot, sees: (prompt: Tool) => boolean): Snapshot {
  return {
    ...prompts,
    resolverFor: (...choice) => {
      const resolve = prompts.resolverFor(...choice);
      return (input, context) => hidePrompt(resolve(input, context), sees);
    },
  };
}

/** A hidden prompt is answered as one that never was. Suggestions are left out: they could name another's. */
function hidePrompt(resolution: Resolution, sees: (prompt: Tool) => boolean): Resolution {
  if (resolution.outcome === "resolved" && sees(resolution.tool)) return resolution;
  if (resolution.outcome === "ambiguous") {
    const candidates = resolution.candidates.filter(sees);
    const [tool, another] = candidates;
    if (another !== undefined) return { ...resolution, candidates };
    const { step, steps, warnings } = resolution;
    if (tool !== undefined) return { outcome: "resolved", tool, step, steps, warnings };
  }
  return { outcome: "unknown", steps: [], warnings: [], suggestions: [] };
}

function confineResources(
  table: ResourceTable<Downstream>,
  admits: (owner: Downstream) => boolean,
): ResourceTable<Downstream> {
  const confineWith =
    (resolve: ResourceTable<Downstream>["resolve"]): ResourceTable<Downstream>["resolve"] =>
    (uri) => {
      const found = resolve(uri);
      if (found.outcome === "unknown") return found;
      if (found.outcome === "resolved") return admits(found.owner) ? found : { outcome: "unknown" };
      const candidates = found.candidates.filter((candidate) => {
        const one = resolve(candidate);
        return one.outcome === "resolved" && admits(one.owner);
      });
      const [only, another] = candidates;
      if (only === undefined) return { outcome: "unknown" };
      return another === undefined ? resolve(only) : { outcome: "ambiguous", candidates };
    };
  return {
    ...table,
    resolve: confineWith(table.resolve),
    resolveTemplate: confineWith(table.resolveTemplate),
  };
}
