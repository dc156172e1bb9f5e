// Which of the connections that are not read at the moment is read next (SAFE-4, SAFE-5).

/** Of the turns of new connections, every so-manieth is the oldest one's. */
const OLDEST_EVERY = 4;

/**
 * Callers take turns, else addresses. Of one, connections that were read before take turns with new ones: those in the order in
 * which they wait; of new ones the newest, because under a flood most of the older ones have been left by their clients.
 *
 * @example
 * const turns = new ReadTurns<{ owner: string; id: number }>();
 * turns.addNew({ owner: "a", id: 1 });
 * turns.addNew({ owner: "a", id: 2 });
 * turns.addNew({ owner: "b", id: 3 });
 * turns.next(9).map(({ id }) => id); // [2, 3, 1]
 */
export class ReadTurns<T extends { readonly owner: string }> {
  /** The first is the next. */
  readonly #lines = new Map<string, Line<T>>();
  /** The line that each waits in: its owner may have changed since. */
  readonly #lineOf = new Map<T, Line<T>>();

  get size(): number {
    return this.#lineOf.size;
  }

  has(connection: T): boolean {
    return this.#lineOf.has(connection);
  }

  /** One that has been read before. */
  add(connection: T): void {
    this.#lineFor(connection).read.add(connection);
  }

  /** One that has not been read yet. */
  addNew(connection: T): void {
    this.#lineFor(connection).fresh.add(connection);
  }

  /** Those whose turn it is, at most so many. All of them keep their places. */
  next(max: number): readonly T[] {
    const picked: T[] = [];
    let orders = [...this.#lines.values()].slice(0, max).map((line) => line.order());
    while (orders.length > 0 && picked.length < max)
      orders = orders.filter((order) => {
        const { value } = picked.length < max ? order.next() : DONE;
        if (value !== undefined) picked.push(value);
        return value !== undefined;
      });
    return picked;
  }

  /** It has had its turn: the next one of its owner comes after those of others. */
  endTurn(connection: T): void {
    const line = this.remove(connection);
    if (line === undefined) return;
    line.turns += 1;
    if (line.isEmpty) return;
    this.#lines.delete(line.owner);
    this.#lines.set(line.owner, line);
  }

  remove(connection: T): Line<T> | undefined {
    const line = this.#lineOf.get(connection);
    if (line === undefined) return undefined;
    this.#lineOf.delete(connection);
    line.read.delete(connection);
    line.fresh.delete(connection);
    if (line.isEmpty) this.#lines.delete(line.owner);
    return line;
  }

  #lineFor(connection: T): Line<T> {
    const { owner } = connection;
    const line = this.#lines.get(owner) ?? new Line<T>(owner);
    this.#lines.set(owner, line);
    this.#lineOf.set(connection, line);
    return line;
  }
}

const DONE = { value: undefined } as const;

/** What waits of one caller or address. */
class Line<T> {
  readonly owner: string;
  readonly read = new Set<T>();
  readonly fresh = new Set<T>();
  /** Turns that it has had. */
  turns = 0;

  constructor(owner: string) {
    this.owner = owner;
  }

  get isEmpty(): boolean {
    return this.read.size + this.fresh.size === 0;
  }

  /** All that wait, the next first. */
  *order(): Generator<T, undefined> {
    const read = this.read.values();
    const oldest = this.fresh.values();
    const newest = [...this.fresh].reverse().values();
    const picked = new Set<T>();
    for (let turn = this.turns; picked.size < this.read.size + this.fresh.size; turn += 1) {
      const isOld = (turn + 1) % (2 * OLDEST_EVERY) === 0;
      const fresh = isOld ? oldest : newest;
      const next = turn % 2 === 0 ? pick(read, picked) : pick(fresh, picked);
      const chosen = next ?? pick(turn % 2 === 0 ? fresh : read, picked);
      if (chosen === undefined) continue;
      picked.add(chosen);
      yield chosen;
    }
    return undefined;
  }
}

function pick<T>(from: Iterator<T, undefined>, picked: ReadonlySet<T>): T | undefined {
  for (let { value } = from.next(); value !== undefined; { value } = from.next())
    if (!picked.has(value)) return value;
  return undefined;
}
