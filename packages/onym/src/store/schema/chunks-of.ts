// Many rows, a statement's worth at a time.

/** Well under what either engine takes in one statement. */
const AT_ONCE = 1000;

export function chunksOf<Item>(items: readonly Item[]): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / AT_ONCE) }, (_, index) =>
    items.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
}
