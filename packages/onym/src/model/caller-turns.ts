// What waits for several callers: callers take turns, however much one of them has waiting (SAFE-5).

/** A caller's quota key; what belongs to no caller has a turn of its own. */
export type TurnKey = string | undefined;

/**
 * @example
 * const turns = new CallerTurns<string>();
 * for (const item of ["a1", "a2", "b1"]) turns.add(item[0], item);
 * [turns.take(), turns.take(), turns.take()]; // ["a1", "b1", "a2"]
 */
export class CallerTurns<T> {
  /** What waits, by caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string | symbol, T[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Adds it behind what waits for the same caller. */
  add(key: TurnKey, item: T): void {
    const own = key === undefined ? undefined : this.#waiting.get(key);
    if (own === undefined) this.#waiting.set(key ?? Symbol(), [item]);
    else own.push(item);
  }

  /** What `take` would take. */
  peek(): T | undefined {
    for (const [first] of this.#waiting.values()) return first;
    return undefined;
  }

  /** Takes the first of the caller whose turn it is; the others have theirs before its next one. */
  take(): T | undefined {
    for (const [key, own] of this.#waiting) {
      const first = own.shift();
      this.#waiting.delete(key);
      if (own.length > 0) this.#waiting.set(key, own);
      return first;
    }
    return undefined;
  }
}
