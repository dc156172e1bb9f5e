// Hears of other replicas' changes: a connection of its own listens, looks again whenever it had to reconnect, and a slow
// poll stands behind it. What a message says is not trusted; it only makes us look.

import pg from "pg";
import type { StoreLog } from "../store-log.js";
import { reconnectMs } from "./reconnect-ms.js";

/** Messages carry the revision and nothing else. */
export const CHANNEL = "onym_changed";

const POLL_MS = 750;

export interface ListenOptions {
  readonly config: pg.ClientConfig;
  readonly look: () => void;
  readonly log: StoreLog;
}

export function listenForChanges({ config, look, log }: ListenOptions): () => Promise<void> {
  let isStopped = false;
  let stop = (): void => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });

  const listenOnce = async (): Promise<void> => {
    const own = new pg.Client(config);
    const ended = new Promise<void>((resolve) => {
      own.on("end", resolve);
      own.on("error", () => resolve());
    });
    try {
      await own.connect();
      own.on("notification", look);
      await own.query(`listen ${CHANNEL}`);
      look();
      await Promise.race([ended, stopped]);
    } finally {
      await Promise.race([own.end().catch(() => {}), ended]);
    }
  };
  const listenOn = async (): Promise<void> => {
    for (let failures = 1; !isStopped; failures += 1) {
      try {
        await listenOnce();
        failures = 0;
      } catch (error) {
        if (failures === 1) log("warn", "the store's changes are polled for now", { error: String(error) });
      }
      if (!isStopped) await Promise.race([pauseUnlessOver(failures + 1), stopped]);
    }
  };
  const listening = listenOn();
  const timer = setInterval(look, POLL_MS).unref();

  return async () => {
    isStopped = true;
    clearInterval(timer);
    stop();
    await listening;
  };
}

/** The process may end meanwhile. */
function pauseUnlessOver(failures: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, reconnectMs(failures, Math.random())).unref());
}
