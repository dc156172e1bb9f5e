// Which tools are new: what downstreams list goes on record, and what is not on record as known is new. It fails that way
// too: where the store cannot be reached, nothing becomes known (POL-1).

import { quoteText, type Tool, type ToolKey, type ToolLineage, toolKeyOf } from "@onym/core";
import type { Downstream, Inventory } from "../../downstream/downstream.js";
import { hasAllTools } from "../../downstream/inventory/list-inventory.js";
import { launchFingerprint } from "../../model/launch.js";
import type { Log } from "../../model/log.js";
import type { IsNew } from "../../policy/build-policy.js";
import { buildKnownTools, type KnownTools } from "../../policy/new-tools.js";
import type { DecisionStore, Listing } from "../../store/store.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { describeError } from "../describe-error.js";
import { createStoreMirror } from "./store-mirror.js";

/** A view, as far as it is looked at. */
type MetView = Pick<GatewaySnapshot, "present"> & Partial<Pick<GatewaySnapshot, "tools">>;

export interface Quarantine {
  /** Of a tool by all keys that it ever had: one that was known before it was renamed is not new (LOCK-5). */
  readonly isNew: (keys: readonly ToolKey[], launch: string) => boolean;
  /** The same for the tools of a view, each as its downstream is reached there. */
  readonly isNewIn: (snapshot: GatewaySnapshot) => IsNew;
  /** Puts on record what the downstreams of a view list. */
  readonly meet: (view: MetView) => void;
  /** Resolves when all that was met is on record, or cannot be now. */
  readonly settled: () => Promise<void>;
  /** Called when something may no longer be new. */
  readonly changes: Set<() => void>;
  readonly close: () => void;
}

export interface QuarantineOptions {
  readonly store: Pick<DecisionStore, "known" | "watch">;
  readonly log: Log;
  readonly now: () => number;
  readonly retryMs?: number;
}

const RETRY_MS = 1_000;

/** Reads what is known before it resolves. */
export async function createQuarantine(options: QuarantineOptions): Promise<Quarantine> {
  const { store, log, now, retryMs = RETRY_MS } = options;
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
  /** An inventory is replaced when it changes: each is noted once. */
  const met = new WeakSet<Inventory>();
  let last: MetView = { present: [] };
  let queue: Promise<void> = Promise.resolve();
  let rest: NodeJS.Timeout | undefined;
  let isClosed = false;

  const wasKnown = (key: ToolKey, launch: string): boolean => {
    const tool = last.tools?.catalog.toolWithKey(key);
    return tool !== undefined && !isNew(keysOf(tool, last.tools?.lineageOf(tool)), launch);
  };
  const note = async (inventory: Inventory, listing: Listing): Promise<void> => {
    try {
      const noted = await store.known.note(listing);
      await mirror.refresh();
      const added = noted.filter((key) => !wasKnown(key, listing.launch));
      if (added.length > 0) tellNew(listing, added.length, log);
    } catch (error) {
      met.delete(inventory);
      if (isClosed) return;
      const server = quoteText(listing.owner.server);
      log(
        "error",
        `the tools of server ${server} stay new, because they cannot be put on record: ${describeError(error)}`,
      );
      clearTimeout(rest);
      rest = setTimeout(() => {
        rest = undefined;
        meet(last);
      }, retryMs).unref();
    }
  };
  const meet = (view: MetView): void => {
    last = view;
    if (isClosed || rest !== undefined) return;
    for (const downstream of view.present) {
      const { inventory } = downstream;
      if (inventory === undefined || met.has(inventory) || downstream.launch.kind === "static") continue;
      met.add(inventory);
      const listing = listingOf(downstream, inventory, now());
      if (!isOnRecord(listing, mirror.current())) queue = queue.then(() => note(inventory, listing));
    }
  };
  const isNew: Quarantine["isNew"] = (keys, launch) =>
    keys.every((key) => mirror.current().isNew(key, launch));
  return {
    isNew,
    isNewIn: (snapshot) => (tool) => {
      const launch = snapshot.ownerOf(tool)?.launch;
      // What stands in the config is the operator's own word.
      return (
        launch === undefined ||
        (launch.kind !== "static" &&
          isNew(keysOf(tool, snapshot.tools.lineageOf(tool)), launchFingerprint(launch)))
      );
    },
    meet,
    settled: () => queue,
    changes: mirror.changes,
    close() {
      isClosed = true;
      clearTimeout(rest);
      mirror.close();
    },
  };
}

/** Every key that a tool ever had. */
export function keysOf({ key }: Tool, lineage: ToolLineage | undefined): readonly ToolKey[] {
  return [key, ...(lineage?.former ?? []).map((each) => each.key)];
}

/** All that it lists, whatever the config shows of it: a filter that is widened later makes nothing new. */
function listingOf({ id, launch }: Downstream, inventory: Inventory, at: number): Listing {
  return {
    owner: id,
    launch: launchFingerprint(launch),
    tools: inventory.tools.map(({ name }) => String(name)),
    isWhole: hasAllTools(inventory),
    at,
  };
}

function isOnRecord({ owner, launch, tools, isWhole }: Listing, known: KnownTools): boolean {
  if (isWhole && !known.isSeen(owner)) return false;
  return tools.every((raw) => known.isNoted(toolKeyOf({ ...owner, raw }), launch));
}

function tellNew({ owner, isWhole }: Listing, count: number, log: Log): void {
  const tools = count === 1 ? "1 new tool" : `${count} new tools`;
  const why = isWhole ? "" : ", as long as it has not listed them all";
  log("warn", `server ${quoteText(owner.server)} has ${tools}${why}: onym approvals shows them`, {
    server: owner.server,
    toolbox: owner.toolbox,
  });
}
