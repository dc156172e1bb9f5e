// The current activity of a gateway, for `onym status`: calls, clients, waiting work, and the state of its
// store and lock.

import type { Lock } from "@onym/core";
import type { GatewayActivity } from "../../control/protocol.js";
import type { Gateway } from "../../gateway/create-gateway.js";
import { type CallTotals, clientName } from "../../gateway/observe/observation.js";
import { OnymError } from "../../model/onym-error.js";
import type { GuardSource } from "./open-guard.js";

/** Maximum clients that are named. */
const MAX_CLIENTS = 100;

export async function readActivity(
  gateway: Pick<Gateway, "load" | "snapshot">,
  {
    guards,
    totals,
    lock,
  }: { readonly guards: GuardSource; readonly totals: CallTotals; readonly lock: () => Lock },
): Promise<GatewayActivity> {
  const { store } = guards;
  const [pending, trouble] = await Promise.all([
    store?.approvals.pending().catch(() => undefined),
    guards.trouble().catch((error: unknown) => error),
  ]);
  const { inFlight, sessions } = gateway.load();
  return {
    calls: totals.read(),
    inFlight,
    clients: sessions.slice(0, MAX_CLIENTS).map((session) => ({
      client: clientName(session),
      principal: session.principal,
      profile: session.profile.id,
    })),
    ...(pending === undefined ? {} : { approvalsWaiting: pending.length }),
    recordsWaiting: guards.recordsWaiting(),
    store: {
      engine: store?.engine ?? "none",
      ...(trouble === undefined
        ? {}
        : { trouble: trouble instanceof OnymError ? trouble.message : "it cannot be used now" }),
    },
    lock: countNames(lock(), gateway),
  };
}

/** Counts the lock as it is now; the snapshot holds the one it was built with. */
function countNames(lock: Lock, { snapshot }: Pick<Gateway, "snapshot">): GatewayActivity["lock"] {
  const present = new Set<string>(snapshot().tools.catalog.tools.map(({ key }) => key));
  let [names, kept] = [0, 0];
  for (const profile of lock.profiles.values())
    for (const { key } of profile.names.values()) {
      names += 1;
      if (!present.has(key)) kept += 1;
    }
  return { names, kept };
}
