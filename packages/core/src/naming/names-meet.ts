// Whether the names of a table, some of them changed, stay apart in a client that compares names loosely (RULE-5).

import type { NamedTool } from "./assign-names.js";
import type { NamingTable } from "./build-naming-table.js";
import type { FittedName } from "./fit-name.js";

/** Whether a client that compares names loosely would take two of them for one. */
export function namesMeet(
  sameAs: (name: string) => string,
  { tools, reserved }: NamingTable,
  changed: ReadonlyMap<number, FittedName>,
): boolean {
  const nameAt = (index: number): string => changed.get(index)?.name ?? (tools[index] as NamedTool).name;
  // Names differ already, so where each stands for itself none meets another.
  const isItself = (name: string): boolean => sameAs(name) === name;
  if ([...reserved].every(isItself) && tools.every((_, index) => isItself(nameAt(index)))) return false;
  const texts = new Set<string>();
  for (const name of reserved) texts.add(sameAs(name));
  for (let index = 0; index < tools.length; index++) {
    const text = sameAs(nameAt(index));
    if (texts.has(text)) return true;
    texts.add(text);
  }
  return false;
}
