// Likely renames: a tool is gone, and its server has one that says exactly the same of itself (LOCK-3). Only proposed.

import type { Lock, Owner, Rename, Tool, ToolKey } from "@onym/core";
import { definitionDigest } from "@onym/core/approvals";
import { toolKeyOf } from "@onym/core/identity";
import { renameWindow } from "@onym/core/resolve";
import { partsOf } from "../../store/name-keys.js";

export interface RenameProposal {
  /** Canonical name of the tool that is gone. */
  readonly from: string;
  readonly to: string;
  readonly toolbox: string | undefined;
  readonly server: string;
  /** What to add to the config. The names that the tool had go on, and need no entries of their own (LOCK-5). */
  readonly renames: readonly Rename[];
}

export interface ProposeRenamesInput {
  readonly lock: Lock;
  /** What is there now. */
  readonly tools: readonly Tool[];
  /** Downstreams all of whose tools are among them; of others nobody knows what is gone. */
  readonly owners: readonly (Owner & { readonly serverVersion?: string | undefined })[];
  /** Already declared. */
  readonly renames: readonly Rename[];
}

/** A tool that says nothing of itself says the same as every other such tool. */
const SILENT = new Set<string>([
  definitionDigest({}),
  definitionDigest({ inputSchema: { type: "object" } }),
  definitionDigest({ inputSchema: { type: "object", properties: {} } }),
]);

/**
 * Where several tools could be meant on either side there is no proposal. A tool that the lock does not know yet comes
 * before one that it knows; that one counts only where the lock has retired the old names, so that both were told apart.
 *
 * @example
 * proposeRenames({ lock, tools: snapshot.catalog.tools, owners: [{ server: "crm" }], renames: [] })[0]?.to;
 * // "crm@1/find_leads@1"
 */
export function proposeRenames({
  lock,
  tools,
  owners,
  renames,
}: ProposeRenamesInput): readonly RenameProposal[] {
  const declared = new Set(renames.map(({ from }) => from));
  const present = new Map(tools.map((tool) => [tool.key, tool]));
  const live = groupBy(tools, (tool) =>
    JSON.stringify([ownerOf(tool.key), definitionDigest(tool.definition)]),
  );
  const known = new Set(owners.map((owner) => ownerOf(toolKeyOf({ ...owner, raw: "" }))));
  const gone = groupBy(
    [...lock.tools].filter(
      ([key, { digest, successor }]) =>
        successor === undefined && !present.has(key) && known.has(ownerOf(key)) && !SILENT.has(digest),
    ),
    ([key, { digest }]) => JSON.stringify([ownerOf(key), digest]),
  );
  const retired = retiredTools(lock);
  return [...gone].flatMap(([group, [first, ...others]]) => {
    if (first === undefined || others.length > 0) return [];
    const [key, { canonical: from }] = first;
    const to = successor(live.get(group) ?? [], { lock, isRetired: retired.has(key) });
    if (to === undefined || declared.has(from)) return [];
    const since = readableVersion(
      owners.find((one) => one.server === to.server && one.toolbox === to.toolbox),
    );
    return [
      {
        from,
        to: to.canonical,
        server: to.server,
        toolbox: to.toolbox,
        renames: [{ from, to: to.canonical, ...since, policy: "warn" as const }],
      },
    ];
  });
}

/** What the window is to be counted from: by default it is a major version from now on (LOCK-2). */
function readableVersion(
  owner: { readonly serverVersion?: string | undefined } | undefined,
): Pick<Rename, "since"> {
  const since = owner?.serverVersion;
  if (since === undefined || renameWindow({ since }, { serverVersion: since }).state === "unknown") return {};
  return { since };
}

function successor(
  candidates: readonly Tool[],
  { lock, isRetired }: { readonly lock: Lock; readonly isRetired: boolean },
): Tool | undefined {
  const fresh = candidates.filter(({ key }) => !lock.tools.has(key));
  if (fresh.length > 0) return fresh.length === 1 ? fresh[0] : undefined;
  return isRetired && candidates.length === 1 ? candidates[0] : undefined;
}

/** Tools that were gone when the lock was last written. */
function retiredTools({ profiles }: Lock): ReadonlySet<ToolKey> {
  const found = new Set<ToolKey>();
  for (const { names } of profiles.values())
    for (const { key, retired } of names.values()) if (retired === "removed") found.add(key);
  return found;
}

/** One text for all tools of a server. */
function ownerOf(key: ToolKey): string {
  const { toolbox, server } = partsOf(key);
  return JSON.stringify([toolbox, server]);
}

function groupBy<Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => string,
): ReadonlyMap<string, readonly Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  return groups;
}
