// Builds the offer of each inventory once, and keeps it as long as the inventory is in force.

import type { Downstream } from "../../downstream/downstream.js";
import { loadTools, toolNamesOf } from "../../downstream/inventory/inventory.js";
import { MANY_TOOLS, runFirstSteps, runInSlices } from "../../model/run-slices.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { type Offer, type Offered, offerSteps, readOffer } from "./read-offer.js";

interface KeptOffer {
  readonly admits: ServerSettings["admits"];
  readonly references: boolean;
  readonly offer: Offer;
}

const NOTHING: Offered = { tools: [], prompts: [] };

/** An inventory is replaced, never mutated, so its offer stays valid. */
const keptOffers = new WeakMap<object, KeptOffer>();
const staticCatalogs = new WeakMap<object, Offered>();

export function keepOffer(downstream: Downstream, server: ServerSettings, references: boolean): Offer {
  const offered = downstream.launch.kind === "static" ? staticCatalog(server) : downstream.inventory;
  if (offered === undefined) return readOffer(NOTHING, server, references);
  const kept = keptOffer(offered, server, references);
  if (kept !== undefined) return kept;
  const offer = readOffer(offered, server, references);
  keptOffers.set(offered, { admits: server.admits, references, offer });
  return offer;
}

/** Small inventories take at most this many steps (of 50 tools or 64 KB) at once. */
const FIRST_STEPS = 20;

/**
 * Builds the offer of an inventory, in slices if it is large, so that `keepOffer` finds it ready (SAFE-4).
 * `undefined` if it is ready.
 */
export function prepareOffer(
  { inventory, launch }: Downstream,
  server: ServerSettings,
  references: boolean,
): Promise<void> | undefined {
  if (inventory === undefined || launch.kind === "static" || failed.has(inventory)) return undefined;
  if (keptOffer(inventory, server, references) !== undefined) return undefined;
  const { prompts } = inventory;
  const { admits } = server;
  const keep = (offer: Offer): void => void keptOffers.set(inventory, { admits, references, offer });
  // The next synchronous build reports the error.
  const fail = (): void => void failed.add(inventory);
  try {
    if (toolNamesOf(inventory).length >= MANY_TOOLS)
      return loadTools(inventory)
        .then((tools) => runInSlices(offerSteps({ tools, prompts }, server, references)))
        .then(keep, fail);
    const steps = offerSteps({ tools: inventory.tools, prompts }, server, references);
    const made = runFirstSteps(steps, FIRST_STEPS);
    if (!("value" in made)) return made.then(keep, fail);
    keep(made.value);
  } catch {
    fail();
  }
  return undefined;
}

/** The number of tools and prompts of all servers whose offers are built. */
export function countOffered(
  downstreams: readonly (Downstream | undefined)[],
  { servers, naming: { references } }: Pick<GatewaySettings, "servers" | "naming">,
): number {
  let count = 0;
  for (const [index, downstream] of downstreams.entries()) {
    const server = servers[index];
    const offered = downstream?.inventory;
    const offer =
      server === undefined || offered === undefined ? undefined : keptOffer(offered, server, references);
    count += (offer?.tools.length ?? 0) + (offer?.prompts.length ?? 0);
  }
  return count;
}

const failed = new WeakSet<object>();

function keptOffer(offered: object, { admits }: ServerSettings, references: boolean): Offer | undefined {
  const kept = keptOffers.get(offered);
  return kept?.admits === admits && kept.references === references ? kept.offer : undefined;
}

/** Tools of the config. Their versions come from the operator and are not listed. */
function staticCatalog({ source }: ServerSettings): Offered {
  const kept = staticCatalogs.get(source);
  if (kept !== undefined) return kept;
  const versions = new Map<object, number>();
  const tools = source.tools.map((tool) => {
    if (typeof tool === "string") return { name: tool };
    const { version, ...listed } = tool;
    if (version !== undefined) versions.set(listed, version);
    return listed;
  });
  const catalog = { tools, prompts: [], versions };
  staticCatalogs.set(source, catalog);
  return catalog;
}
