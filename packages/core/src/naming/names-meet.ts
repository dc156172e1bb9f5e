// Whether the names of a table, some of them changed, stay apart in a client that compares names loosely (RULE-5).

import type { NamedTool } from "./assign-names.js";
import type { Change } from "./base-names.js";
import type { NamingTable } from "./build-naming-table.js";

/** Whether a client that compares names loosely would take two of them for one. */
export function namesMeet(
  sameAs: (name: string) => string,
  { tools, reserved }: NamingTable,
  change: Change,
): boolean {
  const names = tools.map(({ name }) => name);
  for (const [at, index] of change.positions.entries()) names[index] = (change.names[at] as NamedTool).name;
  // Names differ already, so where each stands for itself none meets another.
  const isItself = (name: string): boolean => sameAs(name) === name;
  if ([...reserved].every(isItself) && names.every(isItself)) return false;
  const texts = new Set([...reserved].map(sameAs));
  // What nobody may have may look alike; what tools have may not, and may not look like it either.
  const kept = texts.size;
  for (const name of names) texts.add(sameAs(name));
  return texts.size < kept + names.length;
}
