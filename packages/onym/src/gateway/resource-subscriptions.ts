// Who follows which resource, and keeping the downstream's subscription for as long as somebody does.

import type { Downstream } from "../downstream/downstream.js";
import { buildOwnRequest, NEVER } from "../downstream/protocol/own-requests.js";
import type { Caller } from "./caller.js";
import { aboutResource, refuseResource, runItem } from "./calls/run-item.js";
import type { GatewaySnapshot } from "./catalog/gateway-snapshot.js";
import type { GatewayContext, OwnedResource } from "./gateway-context.js";

/** Resources that one session or subscription follows: each change is compared with all of them (SAFE-5). */
export const MAX_SUBSCRIPTIONS = 1_000;

/**
 * The address under which a follower is told that a resource changed; `undefined` where it does not follow it. A change
 * inside a followed resource (a file in a folder) is told under its own address.
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
 * Begins the subscription of a client that listens, where it may: decided and recorded as a request of its own would be.
 * Nothing is told about what it may not follow, as about what is not there.
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

/** Begins or ends the subscription downstream, where nobody else needs it. What becomes of it is not waited for. */
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

/** A downstream that was connected anew knows nothing of what is followed there. */
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
