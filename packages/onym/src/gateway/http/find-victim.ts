// Which connection is ended where too many are open (SAFE-5).

/** What decides whether an open connection is ended. */
export interface OpenConnection {
  /** The address, as quotas have it. */
  readonly network: string;
  /** The caller, else the address. */
  readonly owner: string;
  /** It has sent the header of at least one request. */
  readonly hasAsked: boolean;
  readonly isIdle: boolean;
  /** The body of its request has not arrived as a whole, so nothing runs for it. */
  readonly isReceiving: boolean;
  /** When its answer was complete, if the client has not taken all of it. */
  readonly unreadSince: number | undefined;
}

/** Of connections in the order in which they were opened. `undefined` if all of them are in use. */
export function findVictim<T extends OpenConnection>(all: readonly T[]): T | undefined {
  return findIdle(all) ?? findReceiving(all) ?? findUnread(all);
}

export function describeVictim({ isReceiving, unreadSince }: OpenConnection): string {
  if (isReceiving) return "whose request does not arrive";
  return unreadSince === undefined ? "that does nothing" : "that does not read its answer";
}

/**
 * The oldest connection that never sent a request, else the oldest idle one; from the address with the most
 * of them.
 */
function findIdle<T extends OpenConnection>(all: readonly T[]): T | undefined {
  const idle = all.filter(({ isIdle }) => isIdle);
  const counts = countBy(idle, ({ network }) => network);
  const countOf = ({ network }: T): number => counts.get(network) ?? 0;
  let victim: T | undefined;
  for (const each of idle) {
    if (victim === undefined || countOf(each) > countOf(victim)) victim = each;
    else if (countOf(each) === countOf(victim) && victim.hasAsked && !each.hasAsked) victim = each;
  }
  return victim;
}

/**
 * The oldest connection whose request still arrives; from the caller with the most of them, else the address.
 * Otherwise one that sends slowly on every connection would keep all others out.
 */
function findReceiving<T extends OpenConnection>(all: readonly T[]): T | undefined {
  return findOfMost(all.filter(({ isReceiving }) => isReceiving));
}

/**
 * The connection whose answer is unread for longest; from the caller with the most of them, else the address.
 * Reading a little now and then keeps none: it is the last choice before the new connection anyway.
 */
function findUnread<T extends OpenConnection>(all: readonly T[]): T | undefined {
  const unread = all.filter(({ unreadSince }) => unreadSince !== undefined);
  return findOfMost(unread.toSorted((a, b) => (a.unreadSince ?? 0) - (b.unreadSince ?? 0)));
}

/** The first of the caller with the most, else of the address. */
function findOfMost<T extends OpenConnection>(all: readonly T[]): T | undefined {
  const counts = countBy(all, ({ owner }) => owner);
  const most = Math.max(...counts.values());
  return all.find(({ owner }) => counts.get(owner) === most);
}

function countBy<T>(all: readonly T[], keyOf: (each: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of all) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return counts;
}
