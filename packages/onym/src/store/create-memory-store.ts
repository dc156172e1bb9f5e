// What decides about calls where no store is kept: as long as the process runs, and without a database.

import type { ToolKey } from "@onym/core";
import type { Log } from "../model/log.js";
import { createChangeFeed } from "./create-store.js";
import { changeByListing, serverIdOf, sourceIdOf } from "./parts/known-rows.js";
import type {
  DecisionStore,
  Listing,
  PendingApproval,
  RequestSubject,
  SeenTool,
  StoredApproval,
} from "./store.js";
import { checkWaiting } from "./store-errors.js";

/** Nobody else gets at it: there is no other process, and no command that could look, revoke or admit. */
export function createMemoryStore(log: Log): DecisionStore {
  const feed = createChangeFeed(0, log);
  let revision = 0;
  const changed = (): void => {
    revision += 1;
    feed.announce(revision);
  };
  return {
    approvals: createApprovals(changed),
    known: createKnown(changed),
    // Who still calls former names is a question that is put to a store.
    usage: { count: async () => {} },
    watch: feed.add,
  };
}

function createApprovals(changed: () => void): DecisionStore["approvals"] {
  /** The newest decision for each principal and tool. */
  const decisions = new Map<string, StoredApproval>();
  const waiting = new Map<string, PendingApproval>();
  let lastId = 0;
  const nextId = (): number => {
    lastId += 1;
    return lastId;
  };
  /** @throws OnymError where none is found and no more may wait. */
  const find = (about: RequestSubject): PendingApproval | undefined => {
    const known = waiting.get(askKey(about));
    if (known !== undefined) return known;
    const own = [...waiting.values()].filter(({ principal }) => principal === about.principal);
    checkWaiting({ own: own.length, all: waiting.size });
    return undefined;
  };
  return {
    standing: async () => [...decisions.values()].sort((a, b) => a.id - b.id),
    async expire(id) {
      for (const [key, decision] of decisions) {
        if (decision.id !== id || decision.expiresAt === undefined) continue;
        decisions.set(key, { ...decision, revokedAt: decision.expiresAt });
        changed();
      }
    },
    async decide(approval) {
      const decided = { ...approval, id: nextId(), revokedAt: undefined };
      decisions.set(JSON.stringify([approval.principal, approval.tool]), decided);
      for (const [key, { principal, tool, digest }] of waiting)
        if (principal === approval.principal && tool === approval.tool && digest === approval.digest)
          waiting.delete(key);
      changed();
      return decided;
    },
    async revoke(id, now) {
      for (const [key, decision] of decisions) {
        const { expiresAt = Number.POSITIVE_INFINITY, revokedAt } = decision;
        if (decision.id !== id || revokedAt !== undefined || expiresAt <= now) continue;
        decisions.set(key, { ...decision, revokedAt: now });
        changed();
        return true;
      }
      return false;
    },
    findWaiting: async (about) => find(about)?.id,
    async await(pending) {
      const known = find(pending);
      if (known !== undefined) return known;
      const asked = { ...pending, id: nextId() };
      waiting.set(askKey(pending), asked);
      return asked;
    },
  };
}

function askKey({ principal, tool, launch, digest }: RequestSubject): string {
  return JSON.stringify([principal, tool, launch, digest]);
}

function createKnown(changed: () => void): DecisionStore["known"] {
  const servers = new Map<string, Listing["owner"]>();
  /** By downstream and launch. */
  const sources = new Map<string, Map<ToolKey, SeenTool>>();
  let revision = 0;
  return {
    revision: async () => revision,
    load: async () => ({
      revision,
      servers: [...servers.values()],
      tools: [...sources.values()].flatMap((tools) => [...tools.values()]),
    }),
    async note(listing) {
      const { server, toolbox } = listing.owner;
      const serverId = serverIdOf(listing.owner);
      const sourceId = sourceIdOf(listing.owner, listing.launch);
      const tools = sources.get(sourceId) ?? new Map<ToolKey, SeenTool>();
      const { isFirst, put, dropped } = changeByListing(listing, {
        seen: [...tools.values()],
        isSeen: servers.has(serverId),
        wasSeen: listing.formerOwners.some((owner) => servers.has(serverIdOf(owner))),
      });
      if (!isFirst && put.length === 0 && dropped.length === 0) return [];
      if (isFirst) servers.set(serverId, { server, toolbox });
      for (const seen of put) tools.set(seen.tool, seen);
      for (const { tool } of dropped) tools.delete(tool);
      sources.set(sourceId, tools);
      revision += 1;
      changed();
      return put.flatMap(({ tool, state }) => (state === "new" ? [tool] : []));
    },
  };
}
