// The view: everything that names, lists and routes, as one immutable value. Rebuilt and swapped as a whole.

import {
  buildSnapshot,
  type Lock,
  type NamingTable,
  type Profile,
  type Snapshot,
  type SnapshotOptions,
  type Tool,
  type ToolSource,
} from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../rpc/json.js";
import { formatResourceKey } from "../resources/resource-key.js";
import { buildResourceTable, type ResourceTable } from "../resources/uri-names.js";
import type { GatewaySettings } from "../settings.js";
import { keepOffer } from "./keep-offer.js";
import { type LockKeeper, recordNames } from "./name-lock.js";
import type { Offer } from "./read-offer.js";

export interface View {
  readonly tools: Snapshot;
  /** Prompts, named by the same rules. */
  readonly prompts: Snapshot;
  readonly resources: ResourceTable<Downstream>;
  /** Those whose offers are in the view, in the order of the config. */
  readonly present: readonly Downstream[];
  /** Those that should be there and are not. */
  readonly missing: readonly Downstream[];
  readonly ownerOf: (tool: Tool) => Downstream | undefined;
  readonly offerOf: (downstream: Downstream) => Offer | undefined;
  /** The names of one caller; they are on record from then on. */
  readonly tableOf: (choice: NamesChoice) => NamingTable;
  readonly promptTableOf: (choice: NamesChoice) => NamingTable;
}

export interface NamesChoice {
  readonly profile: Profile;
  readonly as: string | undefined;
}

export interface ViewInput {
  readonly settings: GatewaySettings;
  /** In the order of the settings; those that were never asked for are absent. */
  readonly downstreams: readonly (Downstream | undefined)[];
  readonly locks: { readonly tools: LockKeeper; readonly prompts: LockKeeper };
  /** YYYY-MM-DD. */
  readonly today: string;
  /** Names of the gateway's own tools. */
  readonly reserved: readonly string[];
}

/**
 * A downstream is in the view while it is up, and after a fall until its first try to come back has failed: lists should
 * neither flicker because a server was restarted nor with every later try.
 */
export function isPresent({ status, inventory, launch }: Downstream): boolean {
  if (launch.kind === "static") return true;
  if (inventory === undefined) return false;
  switch (status.kind) {
    case "ready":
      return true;
    case "starting":
      return status.attempt <= 1;
    case "failed":
      return status.attempt === 0;
    default:
      return false;
  }
}

export function buildView(input: ViewInput): View {
  const { settings, locks } = input;
  const pairs = settings.servers.map((server, index) => ({ server, downstream: input.downstreams[index] }));
  const offers = new Map<Downstream, Offer>();
  const owners = new Map<string, Downstream>();
  const sources: ToolSource[] = [];
  const promptSources: ToolSource[] = [];
  const absent: ToolSource[] = [];
  const missing: Downstream[] = [];
  for (const { server, downstream } of pairs) {
    if (downstream === undefined || !isPresent(downstream)) {
      sources.push({ ...server.source, tools: [] });
      promptSources.push({ ...server.source, tools: [] });
      absent.push(server.source);
      if (downstream !== undefined) missing.push(downstream);
      continue;
    }
    const offer = keepOffer(downstream, server, settings.naming.references);
    offers.set(downstream, offer);
    owners.set(ownerKey(server.source), downstream);
    sources.push({ ...server.source, tools: offer.tools });
    promptSources.push({ ...server.source, tools: offer.prompts });
  }
  const options = snapshotOptions(input, absent);
  const tools = buildSnapshot(sources, {
    ...options,
    pins: settings.naming.pins,
    renames: settings.renames,
    strict: settings.strict,
    reserved: input.reserved,
    lock: locks.tools.current(),
  });
  const prompts = buildSnapshot(promptSources, { ...options, lock: locks.prompts.current() });
  const present = [...offers.keys()];
  const recorded = new Set<NamingTable>();
  const tableFrom = (snapshot: Snapshot, keeper: LockKeeper, { profile, as }: NamesChoice): NamingTable => {
    const table = snapshot.namesFor(profile, as === undefined ? {} : { as });
    if (recorded.has(table)) return table;
    recordNames(table, snapshot, keeper);
    recorded.add(table);
    return table;
  };
  return {
    tools,
    prompts,
    resources: buildResourceTable(
      present.map((owner) => ({
        key: formatResourceKey(owner.id),
        owner,
        resources: textsOf(owner.inventory?.resources, "uri"),
        templates: textsOf(owner.inventory?.templates, "uriTemplate"),
      })),
    ),
    present,
    missing,
    ownerOf: (tool) => owners.get(ownerKey(tool)),
    offerOf: (downstream) => offers.get(downstream),
    tableOf: (choice) => tableFrom(tools, locks.tools, choice),
    promptTableOf: (choice) => tableFrom(prompts, locks.prompts, choice),
  };
}

function snapshotOptions(
  { settings, today }: ViewInput,
  absent: readonly ToolSource[],
): SnapshotOptions & { lock?: Lock } {
  const { style, as, aliases } = settings.naming;
  return {
    aliases,
    absent,
    today,
    ...(style === undefined ? {} : { style }),
    ...(as === undefined ? {} : { as }),
  };
}

/** Unequal for unequal owners, whatever is in their ids. */
export function ownerKey({
  server,
  toolbox,
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): string {
  return JSON.stringify([toolbox ?? null, server]);
}

function textsOf(entries: readonly JsonObject[] | undefined, key: string): readonly string[] {
  return (entries ?? []).map((entry) => String(entry[key]));
}
