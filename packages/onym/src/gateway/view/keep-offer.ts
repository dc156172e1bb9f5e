// Offers are made once for each inventory, and kept for as long as it is the one in force.

import type { Downstream } from "../../downstream/downstream.js";
import type { ServerSettings } from "../settings.js";
import { type Offer, type Offered, readOffer } from "./read-offer.js";

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
  const kept = keptOffers.get(offered);
  if (kept !== undefined && kept.admits === server.admits && kept.references === references)
    return kept.offer;
  const offer = readOffer(offered, server, references);
  keptOffers.set(offered, { admits: server.admits, references, offer });
  return offer;
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
