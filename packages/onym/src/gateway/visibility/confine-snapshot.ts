// A snapshot without the servers, prompts and resources that a caller may not reach (POL-9).

import type { Resolution, Snapshot, Tool } from "@onym/core";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { ResourceTable } from "../resources/uri-names.js";
import type { CallerAccess } from "./visibility.js";

export function confineSnapshot(snapshot: GatewaySnapshot, access: CallerAccess): GatewaySnapshot {
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
      if ("owner" in found) return sees(found.owner.id, found.uri) ? found : { outcome: "unknown" };
      if (found.outcome === "unknown") return found;
      const candidates = found.candidates.filter((candidate) => {
        const one = resolve(candidate);
        return "owner" in one && sees(one.owner.id, one.uri);
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

export function idOf({
  server,
  toolbox,
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): DownstreamId {
  return { server, toolbox };
}
