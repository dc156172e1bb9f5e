// Offers are made once for each inventory, and kept for as long as it is the one in force.

import type { Downstream } from "../../downstream/downstream.js";
import type { ServerSettings } from "../settings.js";
import { type Offer, type Offered, offerSteps, readOffer } from "./read-offer.js";
import { MANY_TOOLS, runFirstSteps } from "./run-slices.js";

interface KeptOffer {
  readonly admits: ServerSettings["admits"];
  readonly references: boolean;
  readonly offer: Offer;
}

const NOTHING: Offered = { tools: [], prompts: [] };

/** An inventory is replaced when it changes, and never altered: what was made of it stays good. */
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

/** Steps of 50 tools or 64 KB that few tools may take at once. */
const FIRST_STEPS = 20;

/**
 * Makes the offer of an inventory, a large one in slices, so that `keepOffer` has it at hand (SAFE-4). `undefined` where it has
 * it.
 */
export function prepareOffer(
  { inventory, launch }: Downstream,
  server: ServerSettings,
  references: boolean,
): Promise<void> | undefined {
  if (inventory === undefined || launch.kind === "static" || failed.has(inventory)) return undefined;
  if (keptOffer(inventory, server, references) !== undefined) return undefined;
  const { tools, prompts } = inventory;
  const { admits } = server;
  const keep = (offer: Offer): void => void keptOffers.set(inventory, { admits, references, offer });
  // Whoever makes it next, at once, tells what is wrong.
  const fail = (): void => void failed.add(inventory);
  try {
    const steps = offerSteps({ tools, prompts }, server, references);
    const made = runFirstSteps(steps, tools.length < MANY_TOOLS ? FIRST_STEPS : 0);
    if (!("value" in made)) return made.then(keep, fail);
    keep(made.value);
  } catch {
    fail();
  }
  return undefined;
}

const failed = new WeakSet<object>();

function keptOffer(offered: object, { admits }: ServerSettings, references: boolean): Offer | undefined {
  const kept = keptOffers.get(offered);
  return kept?.admits === admits && kept.references === references ? kept.offer : undefined;
}

/** Tools of the config. Their versions are the operator's word, and no part of what is listed. */
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
