// Which clients follow which resource. Keeps the server's subscription as long as one client does.

import type { Downstream } from "../../downstream/downstream.js";
import { buildOwnRequest, NEVER } from "../../downstream/protocol/own-requests.js";
import type { Caller } from "../caller.js";
import { aboutResource, refuseResource, runItem } from "../calls/guarded-item.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, OwnedResource } from "../gateway-context.js";

/** Maximum resources per session or subscription: each change is compared with all of them (SAFE-5). */
export const MAX_SUBSCRIPTIONS = 1_000;

/**
 * The URI under which a follower gets the update of a resource; `undefined` if it does not follow it. A
 * change inside a followed resource (a file in a folder) is sent under its own URI.
 */
export function subscribedAs(
  followed: ReadonlySet<string>,
  { owner, uri }: OwnedResource,
  { resources }: Pick<GatewaySnapshot, "resources">,
): string | undefined {
  for (const address of followed) {
    const found = resources.resolve(address);
    if (found.outcome !== "resolved" || found.owner !== owner) continue;
    if (found.uri === uri) return address;
    if (uri.startsWith(found.uri.endsWith("/") ? found.uri : `${found.uri}/`))
      return resources.publicUri(owner, uri);
  }
  return undefined;
}

/**
 * Starts the subscription of a listening client if policy allows it: decided and recorded like a request of
 * its own. A forbidden resource gets the same silence as a missing one.
 */
export async function subscribeForListener(
  address: string,
  caller: Caller,
  context: GatewayContext,
): Promise<void> {
  const { snapshot } = context.view();
  const found = snapshot.resources.resolve(address);
  if (found.outcome !== "resolved") {
    refuseResource(address, { snapshot, outcome: found.outcome }, caller, context);
    return;
  }
  const { owner, uri } = found;
  const { callMs } = context.settings().limits;
  const requestContext = { signal: NEVER, notify: () => {}, sendRequest: undefined, headers: undefined };
  await runItem(
    {
      method: "resources/subscribe",
      ...aboutResource(owner, uri, snapshot),
      downstream: owner,
      sent: address,
      isUnasked: true,
    },
    { params: { uri: address }, caller, requestContext },
    context,
    () => owner.send(buildOwnRequest("resources/subscribe", { uri }, { timeoutMs: callMs })),
  );
}

/**
 * Starts or ends the subscription at the server, if no other client needs it. Does not wait for the result.
 */
export function subscribeToResource(
  method: "resources/subscribe" | "resources/unsubscribe",
  address: string,
  context: GatewayContext,
): void {
  const { snapshot } = context.view();
  const found = snapshot.resources.resolve(address);
  if (found.outcome !== "resolved") return;
  if (method === "resources/unsubscribe" && context.isSubscribed(found, undefined)) return;
  const { callMs } = context.settings().limits;
  void found.owner.send(buildOwnRequest(method, { uri: found.uri }, { timeoutMs: callMs }));
}

/** A reconnected server does not know the earlier subscriptions. */
export function resubscribe(
  addresses: ReadonlySet<string>,
  downstream: Downstream,
  context: GatewayContext,
): void {
  if (addresses.size === 0) return;
  const { resources } = context.view().snapshot;
  const { callMs } = context.settings().limits;
  for (const address of addresses) {
    const found = resources.resolve(address);
    if (found.outcome === "resolved" && found.owner === downstream)
      void downstream.send(buildOwnRequest("resources/subscribe", { uri: found.uri }, { timeoutMs: callMs }));
  }
}
