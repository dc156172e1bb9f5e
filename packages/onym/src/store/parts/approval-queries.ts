// What queries of decisions and of approval requests share.

import { sql } from "kysely";
import type { Steps } from "../../model/run-slices.js";
import { encodeText } from "../schema/stored-text.js";

/** Definitions may be large, and rows many (SAFE-4). */
export function* rowSteps<Row, Value>(
  rows: readonly Row[],
  read: (row: Row) => Value,
): Steps<readonly Value[]> {
  const values: Value[] = [];
  for (const row of rows) {
    values.push(read(row));
    yield;
  }
  return values;
}

/** How many of the first rows have at most so many bytes together; one in any case. */
export function countWithin(rows: readonly { readonly bytes: number }[], maxBytes = 0): number {
  let count = 0;
  let sum = 0;
  for (const { bytes } of rows) {
    sum += Number(bytes);
    if (sum > maxBytes && count > 0) break;
    count += 1;
  }
  return count;
}

/** A condition: keys of tools that start with one of these texts. */
export function startsWithOne(starts: readonly string[]) {
  const each = starts.map(encodeText).map((start) => {
    const { length } = [...start]; // databases count characters
    return sql`substr(tool, 1, ${sql.lit(length)}) = ${start}`;
  });
  return sql<boolean>`(${sql.join([sql`1 = 0`, ...each], sql` or `)})`;
}
