// What downstreams listed as rows, and back; and what a listing changes. Pure: the store runs it inside one commit.

import type { Owner, ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { decodeText, encodeText, rowId } from "../schema/stored-text.js";
import type { KnownToolRow } from "../schema/tables.js";
import type { Listing, SeenTool } from "../store.js";

/** New tools that a downstream no longer lists, and that are still shown: it may make up names without end. */
const MAX_GONE = 1000;

export interface ListingChange {
  /** The downstream has listed in full for the first time. */
  readonly isFirst: boolean;
  /** Added, or put in the place of the row with the same id. */
  readonly put: readonly SeenTool[];
  readonly dropped: readonly SeenTool[];
}

interface Seen {
  readonly seen: readonly SeenTool[];
  readonly isSeen: boolean;
  readonly wasSeen: boolean;
}

/**
 * `seen` are the tools of the same downstream under the same launch; `isSeen` where it has listed in full before, under
 * whatever launch, and `wasSeen` where it has under a former id. What is known stays known, whatever is listed.
 */
export function changeByListing(
  { owner, launch, tools, isWhole, at }: Listing,
  { seen, isSeen, wasSeen }: Seen,
): ListingChange {
  const isFirst = isWhole && !isSeen;
  const state = isFirst && !wasSeen ? "known" : "new";
  const before = new Map(seen.map((each) => [each.tool, each]));
  const listed = new Set(tools.map((raw) => toolKeyOf({ ...owner, raw })));
  const put: SeenTool[] = [];
  for (const tool of listed) {
    const old = before.get(tool);
    if (old === undefined) put.push({ tool, launch, state, seenAt: at, admittedBy: undefined });
    else if (old.state === "new" && state === "known") put.push({ ...old, state });
  }
  const gone = seen
    .filter((each) => each.state === "new" && !listed.has(each.tool))
    .sort((a, b) => b.seenAt - a.seenAt);
  return { isFirst, put, dropped: gone.slice(MAX_GONE) };
}

export const serverIdOf = ({ server, toolbox }: Owner): string =>
  toolbox === undefined ? rowId("server", server) : rowId("toolbox", toolbox, server);

export const sourceIdOf = (owner: Owner, launch: string): string => rowId(serverIdOf(owner), launch);

export const toolIdOf = ({ tool, launch }: Pick<SeenTool, "tool" | "launch">): string => rowId(tool, launch);

export function seenToRow(seen: SeenTool, source: string): KnownToolRow {
  const row = {
    id: toolIdOf(seen),
    source,
    tool: encodeText(seen.tool),
    launch: encodeText(seen.launch),
    state: seen.state,
    seen_at: seen.seenAt,
    admitted_by: seen.admittedBy === undefined ? null : encodeText(seen.admittedBy),
  };
  return { ...row, seal: sealOf(row) };
}

/** `undefined` where the row is not what was once noted. */
export function rowToSeen(row: KnownToolRow): SeenTool | undefined {
  const { state } = row;
  if (row.seal !== sealOf(row) || (state !== "known" && state !== "new")) return undefined;
  return {
    tool: decodeText(row.tool) as ToolKey,
    launch: decodeText(row.launch),
    state,
    seenAt: row.seen_at,
    admittedBy: row.admitted_by === null ? undefined : decodeText(row.admitted_by),
  };
}

function sealOf(row: Omit<KnownToolRow, "seal">): string {
  const { id, source, tool, launch, state, seen_at: seenAt, admitted_by: by } = row;
  return rowId(id, source, tool, launch, state, String(seenAt), by ?? "", by === null ? "" : "by");
}
