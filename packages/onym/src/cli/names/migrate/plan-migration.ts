// From one naming to another: which tool goes from which name to which, and what stands in the way (LOCK-4).

import type { Tool } from "@onym/core";
import type { Naming } from "./build-naming.js";

export interface MigratedTool {
  readonly tool: Tool;
  readonly from: string;
  readonly to: string;
  /** Further old names that lead to it. */
  readonly others: readonly string[];
}

/** Two tools that could not be told apart afterwards. */
export type Conflict =
  /** Both would have one name. */
  | { readonly kind: "same-name"; readonly name: string; readonly tools: readonly Tool[] }
  /** One would get the name that the other has until then, so that old calls reach another tool. */
  | { readonly kind: "taken-over"; readonly name: string; readonly tools: readonly Tool[] };

export interface Migration {
  /** Every tool that has a name on both sides, in the order of the catalog; also those whose name stays. */
  readonly tools: readonly MigratedTool[];
  readonly conflicts: readonly Conflict[];
  /** Old names that several tools had: nothing says which of them is meant. */
  readonly ambiguous: readonly { readonly name: string; readonly tools: readonly Tool[] }[];
  /** Tools that have no name on one side. */
  readonly left: readonly Tool[];
}

export function planMigration(
  tools: readonly Tool[],
  {
    from,
    to,
    numbers,
  }: {
    readonly from: Naming;
    readonly to: Naming;
    /** `accept`: the second of two tools with one name gets a number, as in Onym's tables. `refuse`: it is a conflict. */
    readonly numbers: "accept" | "refuse";
  },
): Migration {
  const migrated = tools.flatMap((tool): readonly MigratedTool[] => {
    const [old, name] = [from.names.get(tool), to.names.get(tool)];
    return old === undefined || name === undefined
      ? []
      : [{ tool, from: old, to: name, others: from.others.get(tool) ?? [] }];
  });
  const byOld = groupBy(migrated, ({ from: old, others }) => [old, ...others]);
  const byWish = groupBy(migrated, ({ tool, to: name }) => [
    numbers === "accept" ? name : (to.wishes.get(tool) ?? name),
  ]);
  const sameName = [...byWish].flatMap(([name, group]): readonly Conflict[] =>
    // A name that both have already is no work of the migration, and is reported as ambiguous.
    group.length > 1 && group.some(({ from: old }) => old !== name)
      ? [{ kind: "same-name", name, tools: group.map(({ tool }) => tool) }]
      : [],
  );
  const reported = new Set(sameName.map(({ name }) => name));
  const takenOver = migrated.flatMap(({ tool, to: name }): readonly Conflict[] => {
    const owners = (byOld.get(name) ?? []).filter((other) => other.tool !== tool && other.from === name);
    return owners.length === 0 || reported.has(name) || from.names.get(tool) === name
      ? []
      : [{ kind: "taken-over", name, tools: [...owners.map((other) => other.tool), tool] }];
  });
  return {
    tools: migrated,
    conflicts: [...sameName, ...takenOver],
    ambiguous: [...byOld].flatMap(([name, group]) =>
      group.length > 1 ? [{ name, tools: group.map(({ tool }) => tool) }] : [],
    ),
    left: tools.filter((tool) => !from.names.has(tool) || !to.names.has(tool)),
  };
}

function groupBy(
  migrated: readonly MigratedTool[],
  keysOf: (tool: MigratedTool) => readonly string[],
): ReadonlyMap<string, readonly MigratedTool[]> {
  const groups = new Map<string, MigratedTool[]>();
  for (const tool of migrated) {
    for (const key of new Set(keysOf(tool))) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [tool]);
      else group.push(tool);
    }
  }
  return groups;
}
