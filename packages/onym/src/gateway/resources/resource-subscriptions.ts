// Which clients an update of a resource goes to, and the subscriptions of a server that was connected again.

import type { Downstream } from "../../downstream/downstream.js";
import { buildOwnRequest } from "../../downstream/protocol/request.js";
import type { Steps } from "../../model/run-slices.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, OwnedResource } from "../gateway-context.js";

/** Maximum resources per session or subscription (SAFE-5). */
export const MAX_SUBSCRIPTIONS = 1_000;
/** A change this many folders below a followed one is no longer its change. */
const MAX_LEVELS = 64;

/**
 * The URI under which a follower of these normalized addresses gets the update of a resource; `undefined` if it does not
 * follow it. A change inside a followed resource (a file in a folder) is sent under its own URI.
 */
export type UpdateMatcher = (followed: ReadonlySet<string>) => string | undefined;

/**
 * Works from the change to the few addresses that could mean it, and looks those up: what all clients follow
 * together does not matter (SAFE-4).
 */
export function createUpdateMatcher(
  { owner, uri }: OwnedResource,
  { resources }: Pick<GatewaySnapshot, "resources">,
): UpdateMatcher {
  const leadsTo = new Map<string, boolean>();
  const means = (address: string, meant: string): boolean => {
    const known = leadsTo.get(address);
    if (known !== undefined) return known;
    const found = resources.resolve(address);
    const isMeant = found.outcome === "resolved" && found.owner === owner && found.uri === meant;
    leadsTo.set(address, isMeant);
    return isMeant;
  };
  const candidates = [uri, ...foldersOf(uri)].map(
    (meant) => [meant, resources.addressesOf(owner, meant)] as const,
  );
  return (followed) => {
    for (const [meant, addresses] of candidates)
      for (const address of addresses)
        if (followed.has(address) && means(address, meant))
          return meant === uri ? address : resources.publicUri(owner, uri);
    return undefined;
  };
}

/** What the URI lies in, with and without the closing slash; the nearest first. */
function* foldersOf(uri: string): Iterable<string> {
  let end = uri.length;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    end = uri.lastIndexOf("/", end - 1);
    if (end <= 0) return;
    yield uri.slice(0, end + 1);
    yield uri.slice(0, end);
  }
}

/** A reconnected server does not know the earlier subscriptions. */
export function* resubscribeSteps(
  addresses: Iterable<string>,
  downstream: Downstream,
  context: GatewayContext,
): Steps<void> {
  const { resources } = context.latestView().snapshot;
  const { callMs } = context.settings().limits;
  for (const address of addresses) {
    yield;
    const found = resources.resolve(address);
    // Nobody may follow it any more.
    if (found.outcome === "resolved" && found.owner === downstream && context.isSubscribed(found))
      void downstream.send(buildOwnRequest("resources/subscribe", { uri: found.uri }, { timeoutMs: callMs }));
  }
}
