// Settings, view and context for a caller that may see only part of the gateway (POL-9). The guard decides which tools it
// sees (POL-1); this file hides everything else of servers, prompts, resources and toolboxes that the caller may not reach.

import type { Resolution, Snapshot, Tool } from "@onym/core";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import type { ResourceTable } from "../resources/uri-names.js";
import type { GatewaySettings } from "../settings.js";
import type { CallerAccess, CallerIdentity } from "./caller-visibility.js";

function admitsToolbox({ confinedTo }: Pick<Caller, "confinedTo">, toolbox: string | undefined): boolean {
  return confinedTo === undefined || (toolbox !== undefined && confinedTo.includes(toolbox));
}

/** What a caller may see; `undefined`: everything. Without a policy, toolboxes still limit it. */
export function accessOf(
  { guard, snapshot }: Pick<View, "guard" | "snapshot">,
  caller: CallerIdentity,
): CallerAccess | undefined {
  const access = guard.access(snapshot, caller);
  if (access !== undefined || caller.confinedTo === undefined) return access;
  const admits = ({ toolbox }: { readonly toolbox?: string | undefined }) => admitsToolbox(caller, toolbox);
  return {
    key: JSON.stringify(caller.confinedTo),
    reaches: admits,
    seesPrompt: admits,
    seesResource: admits,
  };
}

/** Whether a caller may see anything of a server now. */
export function reaches(
  view: Pick<View, "guard" | "snapshot">,
  caller: CallerIdentity,
  id: DownstreamId,
): boolean {
  return accessOf(view, caller)?.reaches(id) !== false;
}

export function confineContext(context: GatewayContext, caller: Caller): GatewayContext {
  const { toolboxes } = context;
  const settings = (): GatewaySettings => confineSettings(context.settings(), context.view(), caller);
  const hasToolbox = (toolbox: string): boolean => settings().toolboxes.some(({ id }) => id === toolbox);
  return {
    ...context,
    view: () => confineView(context.view(), caller),
    names: {
      ...context.names,
      recordNames: (choice) => {
        const recorded = context.names.recordNames(choice);
        return recorded instanceof Promise
          ? recorded.then((view) => confineView(view, caller))
          : confineView(recorded, caller);
      },
      recordPromptNames: async (choice) => confineView(await context.names.recordPromptNames(choice), caller),
    },
    settings,
    toolboxes: {
      ...toolboxes,
      open: async (toolbox, holder) =>
        hasToolbox(toolbox) ? toolboxes.open(toolbox, holder) : { outcome: "unknown" },
      close: (toolbox, holder) => hasToolbox(toolbox) && toolboxes.close(toolbox, holder),
      isOpen: (toolbox) => hasToolbox(toolbox) && toolboxes.isOpen(toolbox),
    },
  };
}

interface KeptSettings {
  readonly whole: GatewaySettings;
  readonly confined: GatewaySettings;
}

/** The last of each: every call needs them. */
const keptSettings = new WeakMap<CallerAccess, KeptSettings>();

export function confineSettings(
  settings: GatewaySettings,
  view: Pick<View, "guard" | "snapshot">,
  caller: Caller,
): GatewaySettings {
  const access = accessOf(view, caller);
  if (access === undefined) return settings;
  const kept = keptSettings.get(access);
  if (kept?.whole === settings) return kept.confined;
  const { passthrough } = settings;
  const servers = settings.servers.filter(({ source }) => access.reaches(idOf(source)));
  const confined = {
    ...settings,
    servers,
    toolboxes: settings.toolboxes.filter(({ id }) => servers.some(({ source }) => source.toolbox === id)),
    passthrough: passthrough !== undefined && access.reaches(passthrough) ? passthrough : undefined,
  };
  keptSettings.set(access, { whole: settings, confined });
  return confined;
}

function idOf({
  server,
  toolbox,
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): DownstreamId {
  return { server, toolbox };
}

/** The same view object for the same access, because derived values are cached by view. */
const keptViews = new WeakMap<View, Map<string, View>>();

export function confineView(view: View, caller: Caller): View {
  const access = accessOf(view, caller);
  if (access === undefined) return view;
  const made = keptViews.get(view) ?? new Map<string, View>();
  keptViews.set(view, made);
  const known = made.get(access.key) ?? { ...view, snapshot: confineSnapshot(view.snapshot, access) };
  made.set(access.key, known);
  return known;
}

function confineSnapshot(snapshot: GatewaySnapshot, access: CallerAccess): GatewaySnapshot {
  const { reaches, seesPrompt, seesResource } = access;
  const isReached = ({ id }: Downstream): boolean => reaches(id);
  const hidden = new Set(
    snapshot.tools.catalog.servers.filter((server) => !reaches(idOf(server))).map(({ server }) => server),
  );
  const prompts = new Map<Downstream, readonly JsonObject[]>();
  const promptsOf = (owner: Downstream): readonly JsonObject[] => {
    if (prompts.size === 0)
      for (const each of snapshot.present) prompts.set(each, seenPrompts(each, snapshot, seesPrompt));
    return prompts.get(owner) ?? [];
  };
  const seenOf = (entriesOf: GatewaySnapshot["resourcesOf"], key: string): GatewaySnapshot["resourcesOf"] => {
    const known = new WeakMap<Downstream, readonly JsonObject[]>();
    return (owner) => {
      const seen =
        known.get(owner) ?? entriesOf(owner).filter((entry) => seesResource(owner.id, String(entry[key])));
      known.set(owner, seen);
      return seen;
    };
  };
  return {
    ...snapshot,
    prompts: confinePrompts(snapshot.prompts, seesPrompt),
    resources: confineResources(snapshot.resources, seesResource),
    present: snapshot.present.filter(isReached),
    missing: snapshot.missing.filter(isReached),
    promptsOf,
    resourcesOf: seenOf(snapshot.resourcesOf, "uri"),
    templatesOf: seenOf(snapshot.templatesOf, "uriTemplate"),
    promptTableOf: (choice) => {
      const table = snapshot.promptTableOf(choice);
      return { ...table, tools: table.tools.filter(({ tool }) => seesPrompt(tool)) };
    },
    problems: snapshot.problems.filter(({ servers }) => !servers.some((server) => hidden.has(server))),
    confinement: { key: access.key, whole: snapshot },
  };
}

function seenPrompts(
  owner: Downstream,
  snapshot: GatewaySnapshot,
  sees: (prompt: Tool) => boolean,
): readonly JsonObject[] {
  const seen = new Set(
    snapshot.prompts.catalog.tools
      .filter((prompt) => snapshot.ownerOf(prompt) === owner && sees(prompt))
      .map(({ raw }) => raw),
  );
  return snapshot.promptsOf(owner).filter(({ name }) => seen.has(String(name)));
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

/** A hidden prompt looks like an unknown one. Suggestions are left out: they could name a hidden one. */
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
  sees: CallerAccess["seesResource"],
): ResourceTable<Downstream> {
  const confineWith =
    (resolve: ResourceTable<Downstream>["resolve"]): ResourceTable<Downstream>["resolve"] =>
    (uri) => {
      const found = resolve(uri);
      if (found.outcome === "unknown") return found;
      if (found.outcome === "resolved")
        return sees(found.owner.id, found.uri) ? found : { outcome: "unknown" };
      const candidates = found.candidates.filter((candidate) => {
        const one = resolve(candidate);
        return one.outcome === "resolved" && sees(one.owner.id, one.uri);
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
