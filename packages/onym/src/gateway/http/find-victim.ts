// Which connection is ended where too many are open (SAFE-5).

/** What decides whether an open connection is ended. */
export interface OpenConnection {
  /** The caller that proved who it is on it, else the address. */
  readonly owner: string;
  /** It has sent the header of at least one request. */
  readonly hasAsked: boolean;
  readonly isIdle: boolean;
  /** The body of its request has not arrived as a whole, so nothing runs for it. */
  readonly isReceiving: boolean;
  /** When its answer was complete, if the client has not taken all of it. */
  readonly unreadSince: number | undefined;
}

/**
 * Of connections in the order in which they were opened: one of the caller with the most, else of the address, whatever they are for.
 * Who holds fewer loses none. `undefined` if all of them are in use.
 */
export function findVictim<T extends OpenConnection>(all: readonly T[]): T | undefined {
  const held = countHeld(all);
  let most: Held<T> | undefined;
  for (const each of held.values()) if (each.isEndable && each.count > (most?.count ?? 0)) most = each;
  return most?.unasked ?? most?.idle ?? most?.receiving ?? most?.unread;
}

export function describeVictim({ isReceiving, unreadSince }: OpenConnection): string {
  if (isReceiving) return "whose request does not arrive";
  return unreadSince === undefined ? "that does nothing" : "that does not read its answer";
}

/** What one caller or address holds. Of each kind the oldest connection; of those that are unread the one that is for longest. */
class Held<T extends OpenConnection> {
  count = 0;
  unasked: T | undefined;
  idle: T | undefined;
  receiving: T | undefined;
  unread: T | undefined;

  get isEndable(): boolean {
    return (this.unasked ?? this.idle ?? this.receiving ?? this.unread) !== undefined;
  }

  add(each: T): void {
    this.count += 1;
    if (each.isIdle && !each.hasAsked) this.unasked ??= each;
    else if (each.isIdle) this.idle ??= each;
    else if (each.isReceiving) this.receiving ??= each;
    else if (
      (each.unreadSince ?? Number.POSITIVE_INFINITY) < (this.unread?.unreadSince ?? Number.POSITIVE_INFINITY)
    )
      this.unread = each;
  }
}

function countHeld<T extends OpenConnection>(all: readonly T[]): ReadonlyMap<string, Held<T>> {
  const held = new Map<string, Held<T>>();
  for (const each of all) {
    const { owner } = each;
    const own = held.get(owner) ?? new Held<T>();
    held.set(owner, own);
    own.add(each);
  }
  return held;
}
