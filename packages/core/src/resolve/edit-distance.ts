// The number of typing errors between two texts, up to a limit.

/** Three rows of the matrix are enough. They are reused, because one query compares hundreds of words. */
let rows = makeRows(64);
const FAR = 0xffff;

/**
 * Counts insertions, deletions, replacements and swaps of neighbours as one each. Returns `most + 1` for any
 * greater distance, and visits only cells that can stay within the limit.
 *
 * @example
 * editDistance("lead", "laed"); // 1
 * editDistance("lead", "account", 2); // 3
 */
export function editDistance(a: string, b: string, most: number = Math.max(a.length, b.length)): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  if (b.length + 2 > rows[0].length) rows = makeRows(2 * b.length + 2);
  let [beforeLast, last, row] = rows;
  for (let j = 0; j <= b.length; j++) last[j] = j;
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - most);
    const to = Math.min(b.length, i + most);
    // If the row begins later, this value also exceeds `most`.
    row[from - 1] = i;
    // The previous row ends one cell earlier; no shorter path comes from beyond its end.
    if (to === i + most) last[to] = FAR;
    let least = i;
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = (last[j - 1] as number) + (same ? 0 : 1);
      cost = Math.min(cost, (last[j] as number) + 1, (row[j - 1] as number) + 1);
      // Before the first character the unit is `NaN`, which equals nothing.
      const isSwapped =
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwapped) cost = Math.min(cost, (beforeLast[j - 2] as number) + 1);
      row[j] = Math.min(cost, FAR);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return Math.min(last[b.length] as number, most + 1);
}

function makeRows(length: number): [Uint16Array, Uint16Array, Uint16Array] {
  return [new Uint16Array(length), new Uint16Array(length), new Uint16Array(length)];
}
