// Whether the names of a table, some of them changed, stay apart in a client that compares names loosely (RULE-5).

import type { Change } from "./base-names.js";
import type { NamingTable } from "./build-naming-table.js";

/** Whether a client that compares names loosely would take two of them for one. */
export function namesMeet(
  sameAs: (name: string) => string,
  { tools, reserved }: NamingTable,
  change: Change,
): boolean {
  const names = tools.map(({ name }) => name);
  for (const [at, index] of change.positions.entries()) names[index] = change.names[at]?.name ?? "";
  // Names differ already, so where each stands for itself none meets another.
  const isItself = (name: string): boolean => sameAs(name) === name;
  if ([...reserved].every(isItself) && names.every(isItself)) return false;
  const texts = new Set<string>();
  for (const name of reserved) texts.add(sameAs(name));
  for (const name of names) {
    const text = sameAs(name);
    if (texts.has(text)) return true;
    texts.add(text);
  }
  return false;
}
