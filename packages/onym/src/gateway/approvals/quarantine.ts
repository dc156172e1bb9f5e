// Decides which tools are new: servers' listings are recorded, and a tool not recorded as known is new. It
// fails safe: while the store is unreachable, no tool becomes known (POL-1).

import { quoteText, type Tool, type ToolKey, type ToolLineage } from "@onym/core";
import { type Owner, toolKeyOf } from "@onym/core/identity";
import type { Downstream, Inventory } from "../../downstream/downstream.js";
import { toolNamesOf } from "../../downstream/inventory/inventory.js";
import { hasAllTools } from "../../downstream/inventory/list-inventory.js";
import { launchFingerprint } from "../../model/launch.js";
import type { Log } from "../../model/log.js";
import type { IsNew } from "../../policy/build-policy.js";
import type { FormerServers } from "../../policy/compile-rule.js";
import { buildKnownTools, type KnownTools } from "../../policy/new-tools.js";
import type { DecisionStore, Listing } from "../../store/store.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { describeError } from "../failure-codes.js";
import { createStoreMirror } from "./standing-approvals.js";

/** The part of a view that is read here. */
type ListedView = Pick<GatewaySnapshot, "present"> & Partial<Pick<GatewaySnapshot, "tools">>;

export interface Quarantine {
  /** Checks all keys that a tool ever had: a tool known before its rename is not new (LOCK-5). */
  readonly isNew: (keys: readonly ToolKey[], launch: string) => boolean;
  /** The same for the tools of a view, each with its server's launch. */
  readonly isNewIn: (snapshot: GatewaySnapshot) => IsNew;
  /** Records what the servers of a view list. */
  readonly recordTools: (view: ListedView) => void;
  /** Resolves when everything passed to `recordTools` is recorded, or cannot be now. */
  readonly toolsRecorded: () => Promise<void>;
  /** Called when a tool may no longer be new. */
  readonly changes: Set<() => void>;
  readonly close: () => void;
}

export interface QuarantineOptions {
  readonly store: Pick<DecisionStore, "known" | "watch">;
  readonly log: Log;
  readonly now: () => number;
  readonly formerServers: Pick<FormerServers, "idsOf">;
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;

/** Reads the known tools before it resolves. */
export async function createQuarantine(options: QuarantineOptions): Promise<Quarantine> {
  const { store, log, now, formerServers, retryMs = RETRY_MS } = options;
  const mirror = await createStoreMirror<KnownTools & { readonly revision: number }>({
    what: "known tools",
    async load(before) {
      if (before !== undefined && before.revision === (await store.known.revision())) return before;
      const stored = await store.known.load();
      return { ...buildKnownTools(stored), revision: stored.revision };
    },
    watch: store.watch,
    log,
    retryMs,
  });
  /** An inventory is replaced when it changes, so each is recorded once. */
  const recorded = new WeakSet<Inventory>();
  let last: ListedView = { present: [] };
  let queue: Promise<void> = Promise.resolve();
  let retryTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  const formerOf = ({ server, toolbox }: Owner): readonly Owner[] =>
    formerServers.idsOf({ server, toolbox }).map((id) => ({ server: id, toolbox }));
  const wasKnown = (key: ToolKey, launch: string): boolean => {
    const tool = last.tools?.catalog.toolWithKey(key);
    return tool !== undefined && !isNew(keysOf(tool, last.tools?.lineageOf(tool)), launch);
  };
  const note = async (inventory: Inventory, listing: Listing): Promise<void> => {
    try {
      const noted = await store.known.note(listing);
      await mirror.refresh();
      const added = noted.filter((key) => !wasKnown(key, listing.launch));
      if (added.length > 0) logNewTools(listing, added.length, log);
    } catch (error) {
      recorded.delete(inventory);
      if (isClosed) return;
      const { server, toolbox } = listing.owner;
      log(
        "error",
        `the tools of server ${quoteText(server)} stay new, because they cannot be put on record: ${describeError(error)}`,
        { server, toolbox },
      );
      clearTimeout(retryTimer);
      retryTimer = setTimeout(() => {
        retryTimer = undefined;
        recordTools(last);
      }, retryMs).unref();
    }
  };
  const recordTools = (view: ListedView): void => {
    last = view;
    if (isClosed || retryTimer !== undefined) return;
    for (const downstream of view.present) {
      const { inventory } = downstream;
      if (inventory === undefined || recorded.has(inventory) || downstream.launch.kind === "static") continue;
      recorded.add(inventory);
      const listing = {
        ...listingOf(downstream, inventory),
        formerOwners: formerOf(downstream.id),
        at: now(),
      };
      if (!isOnRecord(listing, mirror.current())) queue = queue.then(() => note(inventory, listing));
    }
  };
  const isNew: Quarantine["isNew"] = (keys, launch) =>
    keys.every((key) => mirror.current().isNew(key, launch));
  return {
    isNew,
    isNewIn: (snapshot) => (tool) => {
      const launch = snapshot.ownerOf(tool)?.launch;
      // Tools in the config come from the operator, so they are known.
      return (
        launch === undefined ||
        (launch.kind !== "static" &&
          isNew(keysOf(tool, snapshot.tools.lineageOf(tool)), launchFingerprint(launch)))
      );
    },
    recordTools,
    toolsRecorded: () => queue,
    changes: mirror.changes,
    close() {
      isClosed = true;
      clearTimeout(retryTimer);
      mirror.close();
    },
  };
}

/** Every key that a tool ever had. */
export function keysOf({ key }: Tool, lineage: ToolLineage | undefined): readonly ToolKey[] {
  return [key, ...(lineage?.former ?? []).map((each) => each.key)];
}

/** Everything the server lists, regardless of filters: widening a filter later makes no tool new. */
function listingOf(
  { id, launch }: Downstream,
  inventory: Inventory,
): Pick<Listing, "owner" | "launch" | "tools" | "isWhole"> {
  return {
    owner: id,
    launch: launchFingerprint(launch),
    tools: toolNamesOf(inventory),
    isWhole: hasAllTools(inventory),
  };
}

function isOnRecord({ owner, launch, tools, isWhole }: Listing, known: KnownTools): boolean {
  if (isWhole && !known.isSeen(owner)) return false;
  return tools.every((raw) => known.isNoted(toolKeyOf({ ...owner, raw }), launch));
}

function logNewTools({ owner, isWhole }: Listing, count: number, log: Log): void {
  const tools = count === 1 ? "1 new tool" : `${count} new tools`;
  const why = isWhole ? "" : ", as long as it has not listed them all";
  log("warn", `server ${quoteText(owner.server)} has ${tools}${why}: onym approvals shows them`, {
    server: owner.server,
    toolbox: owner.toolbox,
  });
}
