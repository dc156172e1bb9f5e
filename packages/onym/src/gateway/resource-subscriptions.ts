// Who follows which resource, and keeping the downstream's subscription for as long as somebody does.

import type { Downstream } from "../downstream/downstream.js";
import { buildOwnAsk, NEVER } from "../downstream/protocol/own-requests.js";
import type { Caller } from "./caller.js";
import { aboutResource, refuseResource, runItem } from "./calls/run-item.js";
import type { View } from "./catalog/gateway-snapshot.js";
import type { Desk } from "./gateway-context.js";

/** Resources that one session or subscription follows: each change is compared with all of them (SAFE-5). */
export const MAX_FOLLOWED = 1_000;

/** A resource as its downstream knows it. */
export interface OwnedResource {
  readonly owner: Downstream;
  readonly uri: string;
}

/**
 * The address under which a follower is told that a resource changed; `undefined` where it does not follow it. A change
 * inside a followed resource (a file in a folder) is told under its own address.
 */
export function followedAs(
  followed: ReadonlySet<string>,
  { owner, uri }: OwnedResource,
  { resources }: Pick<View, "resources">,
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
export async function followForListener(address: string, caller: Caller, desk: Desk): Promise<void> {
  const { view } = desk.sight();
  const found = view.resources.resolve(address);
  if (found.outcome !== "resolved") {
    refuseResource(address, { view, outcome: found.outcome }, caller, desk);
    return;
  }
  const { owner, uri } = found;
  const { callMs } = desk.settings().limits;
  const exchange = { signal: NEVER, tell: () => {}, ask: undefined, headers: undefined };
  await runItem(
    {
      method: "resources/subscribe",
      ...aboutResource(owner, uri, view),
      downstream: owner,
      sent: address,
      isUnasked: true,
    },
    { params: { uri: address }, caller, exchange },
    desk,
    () => owner.ask(buildOwnAsk("resources/subscribe", { uri }, { timeoutMs: callMs })),
  );
}

/** Begins or ends the subscription downstream, where nobody else needs it. What becomes of it is not waited for. */
export function followResource(
  method: "resources/subscribe" | "resources/unsubscribe",
  address: string,
  desk: Desk,
): void {
  const { view } = desk.sight();
  const found = view.resources.resolve(address);
  if (found.outcome !== "resolved") return;
  if (method === "resources/unsubscribe" && desk.isFollowed(found, undefined)) return;
  const { callMs } = desk.settings().limits;
  void found.owner.ask(buildOwnAsk(method, { uri: found.uri }, { timeoutMs: callMs }));
}

/** A downstream that was connected anew knows nothing of what is followed there. */
export function followAgain(addresses: ReadonlySet<string>, downstream: Downstream, desk: Desk): void {
  if (addresses.size === 0) return;
  const { resources } = desk.sight().view;
  const { callMs } = desk.settings().limits;
  for (const address of addresses) {
    const found = resources.resolve(address);
    if (found.outcome === "resolved" && found.owner === downstream)
      void downstream.ask(buildOwnAsk("resources/subscribe", { uri: found.uri }, { timeoutMs: callMs }));
  }
}
