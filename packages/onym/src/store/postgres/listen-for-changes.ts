// Hears of other replicas' changes: a connection of its own listens, looks again whenever it had to reconnect, and a slow
// poll stands behind it. What a message says is not trusted; it only makes us look. A line that has gone dead says nothing,
// like one on which nothing happens: so it is asked now and then.

import pg from "pg";
import type { Log } from "../../model/log.js";
import { reconnectMs, within } from "./silent-server.js";

/** Messages carry the revision and nothing else. */
export const CHANNEL = "onym_changed";

/** With what is read after it, well within the second that a change may take. */
const POLL_MS = 300;

export interface ListenOptions {
  readonly config: pg.ClientConfig;
  /** How long an answer is waited for, and how often one is wanted. */
  readonly answerMs: number;
  readonly look: () => void;
  readonly log: Log;
}

export function listenForChanges({ config, answerMs, look, log }: ListenOptions): () => Promise<void> {
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
      await within(answerMs, own.query(`listen ${CHANNEL}`));
      look();
      const isOver = Promise.race([ended, stopped]).then(() => true);
      while (!(await Promise.race([isOver, pause(answerMs)])))
        await Promise.race([isOver, within(answerMs, own.query(""))]);
    } finally {
      // Not waited for: a silent server does not hang up. With a query in flight the connection is dropped.
      own.end().catch(() => {});
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
      if (!isStopped) await Promise.race([pause(reconnectMs(failures + 1, Math.random())), stopped]);
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
function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
