// Digests of the prompts and resources that servers offer, to see whether they changed (GW-7).

import { createHash, type Hash } from "node:crypto";
import { runAtOnce, runInSlices, type Steps } from "../../model/run-slices.js";
import { type GatewaySnapshot, ownerKey } from "./gateway-snapshot.js";

/** Entries that are digested in one step. */
const STEP_ENTRIES = 100;

interface Offered {
  readonly prompts: string;
  readonly resources: string;
}

const made = new WeakMap<GatewaySnapshot, Offered>();

/**
 * What the servers of a view offer beside tools; equal texts mean no change. Servers that offer nothing are
 * left out, so that opening a toolbox changes only the lists it adds to.
 */
export function offersOf(snapshot: GatewaySnapshot): Offered {
  return made.get(snapshot) ?? runAtOnce(offerSteps(snapshot));
}

/** Computes it in slices (SAFE-4); `undefined` if there is nothing to wait for. */
export function prepareOffers(snapshot: GatewaySnapshot): Promise<unknown> | undefined {
  if (made.has(snapshot)) return undefined;
  const items = snapshot.confinement?.prepareItems();
  return items === undefined
    ? runInSlices(offerSteps(snapshot))
    : items.then(() => runInSlices(offerSteps(snapshot)));
}

function* offerSteps(snapshot: GatewaySnapshot): Steps<Offered> {
  const [prompts, resources] = [createHash("sha256"), createHash("sha256")];
  const owners = new Set<string>();
  for (const owner of snapshot.present) {
    const key = ownerKey(owner.id);
    if (snapshot.promptsOf(owner).length > 0) owners.add(key);
    yield* digestSteps(prompts, key, snapshot.promptsOf(owner));
    yield* digestSteps(resources, `${key} resources`, snapshot.resourcesOf(owner));
    yield* digestSteps(resources, `${key} templates`, snapshot.templatesOf(owner));
  }
  const { tools } = yield* snapshot.prompts.tableSteps("universal");
  const names = tools.flatMap(({ name, tool }) => (owners.has(ownerKey(tool)) ? [name] : []));
  yield* digestSteps(prompts, "names", names);
  const offered = { prompts: prompts.digest("base64url"), resources: resources.digest("base64url") };
  made.set(snapshot, offered);
  return offered;
}

/** A server that offers nothing adds nothing. */
function* digestSteps(hash: Hash, title: string, entries: readonly unknown[]): Steps<void> {
  if (entries.length > 0) hash.update(JSON.stringify([title, entries.length]));
  for (const [index, entry] of entries.entries()) {
    if (index % STEP_ENTRIES === STEP_ENTRIES - 1) yield;
    hash.update(JSON.stringify(entry));
  }
}
