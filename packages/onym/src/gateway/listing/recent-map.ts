// A map that forgets what was not asked for of late: what is in it can be made again.

export interface RecentMap<V> {
  /** The value of a key, made where it is not there. */
  readonly take: (key: string, make: () => V) => V;
  readonly has: (key: string) => boolean;
  /** All that is there, the most recent one first. */
  readonly recent: () => readonly V[];
}

export function createRecentMap<V extends object>(most: number): RecentMap<V> {
  const kept = new Map<string, V>();
  return {
    take(key, make) {
      const known = kept.get(key);
      if (known !== undefined) {
        // The most recent one is the last.
        kept.delete(key);
        kept.set(key, known);
        return known;
      }
      const value = make();
      kept.set(key, value);
      const [oldest] = kept.keys();
      if (kept.size > most && oldest !== undefined) kept.delete(oldest);
      return value;
    },
    has: (key) => kept.has(key),
    recent: () => [...kept.values()].reverse(),
  };
}
