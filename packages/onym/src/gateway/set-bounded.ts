// Caches whose keys callers choose: bounded, and the oldest entry goes first.

/** Sets an entry as the newest, and drops the oldest where there are more than `max`. */
export function setBounded<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
