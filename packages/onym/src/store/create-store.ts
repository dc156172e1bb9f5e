// A store on an engine: checks and migrates the schema, then puts the parts together.

import { randomBytes } from "node:crypto";
import type { AuditAnchor } from "../audit/audit-anchor.js";
import type { Sealer } from "../audit/audit-chain.js";
import type { Log } from "../model/log.js";
import { createAudit, createHeadWriter } from "./audit/create-audit.js";
import type { Engine } from "./engine.js";
import { adoptEarlier } from "./parts/adopt-earlier.js";
import { createApprovals } from "./parts/create-approvals.js";
import { createKnown } from "./parts/create-known.js";
import { createNames } from "./parts/create-names.js";
import { createSecrets } from "./parts/create-secrets.js";
import { createUsage } from "./parts/create-usage.js";
import { migrateStore } from "./schema/migrate.js";
import type { Migration } from "./schema/migrations.js";
import { encodeText } from "./schema/stored-text.js";
import { createStoreSession, type StoreSession } from "./session.js";
import type { SecretStore, Store } from "./store.js";
import { storeUnavailable } from "./store-errors.js";

export interface CreateStoreOptions {
  readonly engine: Engine;
  /** Part of the name of this process's audit chain. */
  readonly replica: string;
  readonly log: Log;
  readonly now: () => number;
  readonly migrations?: readonly Migration[] | undefined;
  readonly sealer?: Sealer | undefined;
  readonly anchor?: AuditAnchor | undefined;
}

const REPLICA_LIMIT = 100;

export async function createStore({
  engine,
  replica,
  log,
  now,
  migrations,
  sealer,
  anchor,
}: CreateStoreOptions): Promise<Store> {
  let onChange = (_revision: number): void => {};
  const session = createStoreSession(engine, (revision) => onChange(revision));
  let feed: ReturnType<typeof createChangeFeed>;
  try {
    await migrateStore({ engine, session, now, ...(migrations !== undefined && { migrations }) });
    if (sealer !== undefined && anchor !== undefined) await adoptEarlier(session, sealer, anchor);
    feed = createChangeFeed(await readRevision(session), log);
  } catch (error) {
    await engine.close();
    throw error;
  }
  onChange = feed.announce;

  let stopWatching: (() => Promise<void>) | undefined;
  let closing: Promise<void> | undefined;
  const secrets = createSecrets(session);
  const heads = anchor === undefined ? undefined : createHeadWriter(anchor);
  const look = createLook(session, feed, log);
  const close = async (): Promise<void> => {
    await stopWatching?.();
    await session.close();
    await engine.close();
    await heads?.close();
  };
  return {
    engine: engine.kind,
    names: createNames(session),
    approvals: createApprovals(session, sealer, log),
    known: createKnown(session),
    audit: createAudit({
      session,
      engine,
      chain: buildChainName(replica),
      sealer,
      anchor,
      heads,
    }),
    usage: createUsage(session),
    secrets,
    watch(listener) {
      const stop = feed.add(listener);
      if (closing === undefined) {
        stopWatching ??= engine.watchOthers(look);
        look();
      }
      return stop;
    },
    trouble: createTrouble(session, secrets, engine.room),
    backup: engine.backup,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

const readRevision = (session: StoreSession): Promise<number> =>
  session.read(
    async (db) => (await db.selectFrom("onym_state").select("revision").executeTakeFirstOrThrow()).revision,
  );

/** Reads the revision and announces it; one read at a time, and one more where another look was asked for meanwhile. */
function createLook(session: StoreSession, feed: ChangeFeed, log: Log): () => void {
  let state: "idle" | "reading" | "again" = "idle";
  let hasLogged = false;
  const read = async (): Promise<void> => {
    try {
      const latest = feed.latest();
      const revision = await readRevision(session);
      // What was read later cannot be older, unless somebody set the store back: changes since then are news all the same.
      if (revision < latest) feed.restart(revision);
      else feed.announce(revision);
      hasLogged = false;
    } catch (error) {
      if (!hasLogged) log("warn", "changes of the store cannot be seen now", { error: String(error) });
      hasLogged = true;
    }
    const isWanted = state === "again";
    state = "idle";
    if (isWanted) look();
  };
  const look = (): void => {
    if (state !== "idle") {
      state = "again";
      return;
    }
    state = "reading";
    void read();
  };
  return look;
}

function buildChainName(replica: string): string {
  return `${encodeText(replica.slice(0, REPLICA_LIMIT))}-${randomBytes(8).toString("hex")}`;
}

// Whether a store that failed can be used again. It is tried when somebody asks, because a gateway that is known to fail may
// get no calls that would find out.

/** As much as a few calls leave on record: on a disk that is all but full, one row may still find room. */
const PROBE_BYTES = 64 * 1024;
const PROBE_KEY = "onym/probe";
/** Commits of other processes take milliseconds. Who holds the store longer keeps calls from being recorded. */
const HELD_MS = 1_000;

export function createTrouble(
  session: StoreSession,
  secrets: SecretStore,
  room: Engine["room"] = () => undefined,
): Store["trouble"] {
  let trying: Promise<unknown> | undefined;
  const tryOut = async (): Promise<unknown> => {
    try {
      await secrets.write(PROBE_KEY, new Uint8Array(PROBE_BYTES));
      await secrets.remove(PROBE_KEY);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  return async () => {
    const held = session.heldMs();
    if (held > HELD_MS)
      return storeUnavailable(
        session.place,
        `another process has held it for ${Math.floor(held / 1000)} s, and calls wait to be recorded`,
      );
    const full = room();
    if (full !== undefined) return full;
    if (!session.hasFailed()) return undefined;
    trying ??= tryOut().finally(() => {
      trying = undefined;
    });
    return trying;
  };
}

// Listeners for changes, and the last revision that each was told; revisions only rise.

export interface ChangeFeed {
  /** Calls all listeners, unless they know of this revision or a later one. */
  readonly announce: (revision: number) => void;
  /** Calls all listeners; later revisions are compared with this one. */
  readonly restart: (revision: number) => void;
  readonly latest: () => number;
  readonly add: (listener: (revision: number) => void) => () => void;
}

export function createChangeFeed(known: number, log: Log): ChangeFeed {
  const listeners = new Set<{ readonly call: (revision: number) => void }>();
  let latest = known;
  const restart = (revision: number): void => {
    latest = revision;
    for (const listener of [...listeners]) {
      if (!listeners.has(listener)) continue;
      try {
        listener.call(revision);
      } catch (error) {
        log("error", "a listener for changes of the store failed", { error: String(error) });
      }
    }
  };
  return {
    announce(revision) {
      if (revision > latest) restart(revision);
    },
    restart,
    latest: () => latest,
    add(call) {
      const listener = { call };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
