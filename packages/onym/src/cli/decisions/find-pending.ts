// Which approval requests a person means who names one by its id, or a tool by any of its names.

import { escapeText, quoteText, type ToolKey } from "@onym/core";
import type { Config } from "../../config/config.js";
import { snapshotOf } from "../../configured/snapshot-of.js";
import { readItemKey } from "../../gateway/calls/guarded-item.js";
import { countNoun } from "../../output/wording.js";
import type { PendingApproval, Store } from "../../store/store.js";
import { givenNamesIn } from "../names/lock/given-names.js";
import { partsOf, presentKeyIn } from "../store/name-keys.js";

export type FoundPending =
  | {
      readonly outcome: "found";
      /** Of each caller the newest request about the tool. */
      readonly entries: readonly PendingApproval[];
    }
  | { readonly outcome: "none"; readonly message: string };

export interface FindPendingInput {
  readonly text: string;
  /** Only what waits for this caller. */
  readonly principal: string | undefined;
  readonly pending: readonly PendingApproval[];
  readonly store: Store;
  readonly config: Config;
  readonly today: string;
}

export async function findPending(input: FindPendingInput): Promise<FoundPending> {
  const { text, principal, pending } = input;
  const named = /^\d+$/.test(text) ? pending.filter(({ id }) => String(id) === text) : [];
  const meant = named.length > 0 ? named : await withName(input);
  const entries = meant.filter((each) => principal === undefined || each.principal === principal);
  const tools = new Set(entries.map(({ tool }) => tool));
  if (tools.size > 1) {
    const shown = entries.map(({ id, canonical }) => `${id} (${escapeText(canonical)})`).join(", ");
    const message = `${quoteText(text)} is ambiguous: several tools that wait are called that. Name one by its id: ${shown}.`;
    return { outcome: "none", message };
  }
  if (entries.length > 0) return { outcome: "found", entries: named.length > 0 ? entries : newest(entries) };
  const whose = principal === undefined ? "" : " for that caller";
  const others =
    pending.length === 0 ? "nothing waits" : `onym approvals shows ${countNoun(pending.length, "other")}`;
  return { outcome: "none", message: `Nothing of that id or name waits for a decision${whose}; ${others}.` };
}

/** What waits now for the same caller and tool. */
export function latestFor(
  pending: readonly PendingApproval[],
  { principal, tool }: PendingApproval,
): PendingApproval | undefined {
  return pending.findLast((each) => each.principal === principal && each.tool === tool);
}

/** A canonical name first, then what the tables say, then the raw name. The first that is about anything waiting counts. */
async function withName({
  text,
  pending,
  store,
  config,
  today,
}: FindPendingInput): Promise<readonly PendingApproval[]> {
  const byCanonical = pending.filter(({ canonical }) => canonical === text);
  if (byCanonical.length > 0) return byCanonical;
  const lock = await givenNamesIn(store, config);
  const keys = new Set<ToolKey>();
  for (const { names } of lock.profiles.values()) {
    const named = names.get(text);
    if (named !== undefined) keys.add(named.key);
  }
  const presentKeyOf = presentKeyIn(lock, config);
  const waiting = withTools(
    config,
    pending.map(({ tool, isOfLine }) => (isOfLine === true ? presentKeyOf(tool) : tool)),
  );
  const resolution = snapshotOf(waiting, { lock, today }).resolve(text);
  if (resolution.outcome === "resolved") keys.add(resolution.tool.key);
  if (resolution.outcome === "ambiguous") for (const { key } of resolution.candidates) keys.add(key);
  const byTable = pending.filter(({ tool }) => keys.has(tool));
  if (byTable.length > 0) return byTable;
  const byPresent = pending.filter(({ tool }) => keys.has(presentKeyOf(tool)));
  return byPresent.length > 0 ? byPresent : pending.filter(({ tool }) => partsOf(tool).raw === text);
}

/** What a server lists is not known here, but that it has what waits is: a name may fit several of these (RES-1). */
function withTools(config: Config, keys: readonly ToolKey[]): Config {
  const servers = config.servers.map((server) => {
    const { source } = server;
    const tools = new Set(source.tools.map((tool) => (typeof tool === "string" ? tool : tool.name)));
    const raws = keys.flatMap((key) => {
      const { raw, ...owner } = partsOf(key);
      const isHere = owner.server === source.server && owner.toolbox === source.toolbox;
      return isHere && readItemKey(key) === undefined && !tools.has(raw) ? [raw] : [];
    });
    const added = [...new Set(raws)];
    return added.length === 0
      ? server
      : { ...server, source: { ...source, tools: [...source.tools, ...added] } };
  });
  return { ...config, servers };
}

function newest(entries: readonly PendingApproval[]): readonly PendingApproval[] {
  return entries.filter((each) => latestFor(entries, each) === each);
}
