// A snapshot without the servers, prompts and resources that a caller may not reach (POL-9).

import type { Resolution, Snapshot, Tool, ToolKey } from "@onym/core";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { runAtOnce, runFirstSteps, type Steps } from "../../model/run-slices.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { ResourceTable } from "../resources/uri-names.js";
import type { CallerAccess } from "./visibility.js";

export function confineSnapshot(snapshot: GatewaySnapshot, access: CallerAccess): GatewaySnapshot {
  const { reaches, seesPrompt } = access;
  const isReached = ({ id }: Downstream): boolean => reaches(id);
  const hidden = new Set(
    snapshot.tools.catalog.servers.filter((server) => !reaches(idOf(server))).map(({ server }) => server),
  );
  let seen: SeenItems | undefined;
  let preparing: Promise<void> | undefined;
  const seenNow = (): SeenItems => {
    seen ??= runAtOnce(seenItemSteps(snapshot, access));
    return seen;
  };
  return {
    ...snapshot,
    prompts: confinePrompts(snapshot.prompts, seesPrompt),
    resources: confineResources(snapshot.resources, access),
    present: snapshot.present.filter(isReached),
    missing: snapshot.missing.filter(isReached),
    promptsOf: (owner) => seenNow().lists.get(owner)?.prompts ?? [],
    resourcesOf: (owner) => seenNow().lists.get(owner)?.resources ?? [],
    templatesOf: (owner) => seenNow().lists.get(owner)?.templates ?? [],
    promptTableOf: (choice) => {
      const table = snapshot.promptTableOf(choice);
      return {
        ...table,
        get tools() {
          return table.tools.filter(({ tool }) => seenNow().prompts.has(tool.key));
        },
      };
    },
    problems: snapshot.problems.filter(({ servers }) => !servers.some((server) => hidden.has(server))),
    confinement: {
      key: access.key,
      whole: snapshot,
      prepareItems() {
        if (seen !== undefined || preparing !== undefined) return seen === undefined ? preparing : undefined;
        const found = runFirstSteps(seenItemSteps(snapshot, access), FEW_ITEMS);
        if ("value" in found) seen = found.value;
        else
          preparing = found.then((items) => {
            seen = items;
          });
        return preparing;
      },
    },
  };
}

/** Items that are decided at once. A long address and many rules take about a millisecond each. */
const FEW_ITEMS = 20;

/** What a caller may see of the lists beside tools. */
interface SeenItems {
  readonly prompts: ReadonlySet<ToolKey>;
  /** Of servers that the caller reaches. */
  readonly lists: ReadonlyMap<Downstream, SeenLists>;
}

interface SeenLists {
  readonly prompts: readonly JsonObject[];
  readonly resources: readonly JsonObject[];
  readonly templates: readonly JsonObject[];
}

function* seenItemSteps(
  snapshot: GatewaySnapshot,
  { reaches, seesPrompt, seesResource }: CallerAccess,
): Steps<SeenItems> {
  const prompts = new Set<ToolKey>();
  const names = new Map<Downstream | undefined, Set<string>>();
  for (const prompt of snapshot.prompts.catalog.tools) {
    yield;
    if (!seesPrompt(prompt)) continue;
    const owner = snapshot.ownerOf(prompt);
    prompts.add(prompt.key);
    names.set(owner, (names.get(owner) ?? new Set()).add(prompt.raw));
  }
  const lists = new Map<Downstream, SeenLists>();
  for (const owner of snapshot.present) {
    if (!reaches(owner.id)) continue;
    const sees = (text: unknown): boolean => seesResource(owner.id, String(text));
    lists.set(owner, {
      prompts: snapshot.promptsOf(owner).filter(({ name }) => names.get(owner)?.has(String(name)) === true),
      resources: yield* filterSteps(snapshot.resourcesOf(owner), ({ uri }) => sees(uri)),
      templates: yield* filterSteps(snapshot.templatesOf(owner), ({ uriTemplate }) => sees(uriTemplate)),
    });
  }
  return { prompts, lists };
}

function* filterSteps<T>(entries: readonly T[], isKept: (entry: T) => boolean): Steps<readonly T[]> {
  const kept: T[] = [];
  for (const entry of entries) {
    yield;
    if (isKept(entry)) kept.push(entry);
  }
  return kept;
}

function confinePrompts(prompts: Snapshot, sees: (prompt: Tool) => boolean): Snapshot {
  return {
    ...prompts,
    resolverFor: (profile, choice) => {
      const resolve = prompts.resolverFor(profile, { ...choice, sees });
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
  { reaches, seesResource: sees }: CallerAccess,
): ResourceTable<Downstream> {
  const confineWith =
    (resolve: ResourceTable<Downstream>["resolve"]): ResourceTable<Downstream>["resolve"] =>
    (uri) => {
      const found = resolve(uri);
      if ("owner" in found) return sees(found.owner.id, found.uri) ? found : { outcome: "unknown" };
      if (found.outcome === "unknown") return found;
      const candidates: string[] = [];
      let { isUncertain } = found;
      for (const candidate of found.candidates) {
        const one = resolve(candidate);
        if (!("owner" in one)) continue;
        if (sees(one.owner.id, one.uri)) candidates.push(candidate);
        // The caller may have the address from this server, in a result or as the page of a tool.
        else isUncertain ||= reaches(one.owner.id);
      }
      const [only, another] = candidates;
      if (only === undefined) return { outcome: "unknown" };
      // One candidate is the one meant if the servers of the others are hidden, not if another may still claim it.
      return another === undefined && !isUncertain ? resolve(only) : { ...found, candidates, isUncertain };
    };
  return {
    ...table,
    resolve: confineWith(table.resolve),
    resolveOrigin: confineWith(table.resolveOrigin),
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
