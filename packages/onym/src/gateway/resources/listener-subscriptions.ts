// Starts what listening clients follow, a few addresses of each caller at a time, and ends what a client followed in slices: one
// request may name a thousand, and each is decided and recorded like a request of its own (SAFE-4, SAFE-5).

import { buildOwnRequest, NEVER } from "../../downstream/protocol/request.js";
import { errorReply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import { aboutResource, lookUpResource, runItem } from "../calls/guarded-item.js";
import { refuseNow } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";

/** Addresses of one caller that are being decided and recorded at the same time. */
const MAX_STARTING = 16;

/** What one listening client follows. */
export interface Following {
  readonly caller: Caller;
  /** Normalized address → as the client sent it. */
  readonly addresses: ReadonlyMap<string, string>;
  /** Those that a server was asked for. */
  readonly subscribed: Set<string>;
}

export interface ListenerSubscriptions {
  /** Returns what ends it. */
  readonly begin: (following: Following, context: GatewayContext) => () => void;
  /** Empties the set; a server is told of what nobody follows any more. Does not wait for it. */
  readonly end: (addresses: Set<string>, context: GatewayContext) => void;
}

interface Opening {
  readonly following: Following;
  readonly context: GatewayContext;
  readonly waiting: Iterator<readonly [address: string, sent: string]>;
  isOpen: boolean;
}

/** What waits of one caller; its openings take turns. */
interface CallerQueue {
  readonly openings: Opening[];
  starting: number;
}

export function createListenerSubscriptions({
  isClosing,
  reportBug,
}: {
  /** The connections to all servers end, and their subscriptions with them. */
  readonly isClosing: () => boolean;
  readonly reportBug: (error: unknown) => void;
}): ListenerSubscriptions {
  const queues = new Map<string, CallerQueue>();

  const startNext = (key: string, queue: CallerQueue): void => {
    while (queue.starting < MAX_STARTING) {
      const opening = queue.openings.shift();
      if (opening === undefined) break;
      const next = opening.isOpen && !isClosing() ? opening.waiting.next() : undefined;
      if (next === undefined || next.done === true) continue;
      queue.openings.push(opening);
      queue.starting += 1;
      startOne(opening, next.value)
        .catch(reportBug)
        .finally(() => {
          queue.starting -= 1;
          startNext(key, queue);
        });
    }
    if (queue.starting === 0) queues.delete(key);
  };
  const end = (addresses: Set<string>, context: GatewayContext): void => {
    if (addresses.size > 0) runInSlices(endSteps(addresses, context, isClosing)).catch(reportBug);
  };
  return {
    begin(following, context) {
      const { caller, addresses, subscribed } = following;
      const opening: Opening = { following, context, waiting: addresses.entries(), isOpen: true };
      if (addresses.size > 0) {
        const queue = queues.get(caller.callerKey) ?? { openings: [], starting: 0 };
        queues.set(caller.callerKey, queue);
        queue.openings.push(opening);
        startNext(caller.callerKey, queue);
      }
      return () => {
        opening.isOpen = false;
        end(subscribed, context);
      };
    },
    end,
  };
}

/**
 * Starts a subscription if policy allows it: decided and recorded like a request of its own. A forbidden resource gets the same
 * silence as a missing one. Resolves when the server is asked or the refusal is on record: a server may take long to answer.
 */
function startOne(opening: Opening, [address, sent]: readonly [string, string]): Promise<void> {
  return new Promise((resolve, reject) => {
    subscribe(opening, { address, sent, onSent: resolve }).then(resolve, reject);
  });
}

async function subscribe(
  opening: Opening,
  { address, sent, onSent }: { readonly address: string; readonly sent: string; readonly onSent: () => void },
): Promise<void> {
  const { following, context } = opening;
  const { caller, subscribed } = following;
  await context.waitForServers();
  const { found, snapshot, recorded } = await lookUpResource(sent, caller, context);
  await recorded;
  if (found.outcome !== "resolved" || !opening.isOpen) return;
  const { owner, uri } = found;
  const { callMs } = context.settings().limits;
  const requestContext = {
    signal: NEVER,
    notify: () => {},
    sendRequest: undefined,
    whileAdmitted: undefined,
    headers: undefined,
    held: undefined,
    span: undefined,
    observed: undefined,
  };
  const method = "resources/subscribe";
  await runItem(
    {
      ...aboutResource(owner, uri, snapshot),
      downstream: owner,
      sent,
      isUnasked: true,
    },
    { method, params: { uri: sent }, caller, requestContext, epoch: context.forward.epoch() },
    context,
    (call, recheck) => {
      // Its client left while this was decided.
      if (!opening.isOpen) return Promise.resolve(errorReply(CODES.internal, "The client left."));
      subscribed.add(address);
      onSent();
      const refuse = () => refuseNow({ call, recheck }, context.forward);
      return owner.send({ ...buildOwnRequest(method, { uri }, { timeoutMs: callMs }), refuse });
    },
  );
}

function* endSteps(addresses: Set<string>, context: GatewayContext, isClosing: () => boolean): Steps<void> {
  for (const address of addresses) {
    if (isClosing()) return;
    addresses.delete(address);
    unsubscribe(address, context);
    yield;
  }
}

/** Ends the subscription at the server, if no other client needs it. Does not wait for the result. */
function unsubscribe(address: string, context: GatewayContext): void {
  const found = context.latestView().snapshot.resources.resolve(address);
  if (found.outcome !== "resolved" || context.isSubscribed(found)) return;
  const { callMs } = context.settings().limits;
  void found.owner.send(buildOwnRequest("resources/unsubscribe", { uri: found.uri }, { timeoutMs: callMs }));
}
