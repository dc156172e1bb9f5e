// Announces each view that came into force, after its names are recorded: before that, lists do not contain them (GW-7).

import type { Log } from "../model/log.js";
import type { ChangeFeed } from "./change-feed.js";
import type { CurrentView } from "./current-view.js";
import { describeError } from "./failure-codes.js";
import type { View } from "./gateway-context.js";
import type { NameRecorder } from "./name-recorder.js";

export function createAnnouncements({
  current,
  names,
  feed,
  log,
}: {
  readonly current: Pick<CurrentView, "inForce" | "settings">;
  readonly names: Pick<NameRecorder, "recordAll">;
  readonly feed: Pick<ChangeFeed, "callers" | "prepare" | "announce">;
  readonly log: Log;
}) {
  /** The last view that was announced to clients. */
  let announced: View | undefined;
  /** Its lists are being prepared. A newer view waits, or one that changes all the time would never be announced (SAFE-5). */
  let next: View | undefined;
  const announceNow = (): void => {
    if (next === undefined) announceNext();
  };
  const announceNext = (): void => {
    next = current.inForce;
    announcePrepared(next);
  };
  const announcePrepared = (now: View): void => {
    const lists = feed.prepare(announced, now, current.settings);
    if (lists !== undefined) {
      lists.then(
        () => announcePrepared(now),
        (error: unknown) => {
          next = undefined;
          log("error", describeError(error));
        },
      );
      return;
    }
    const before = announced;
    announced = now;
    next = undefined;
    if (before !== undefined && before !== now) feed.announce(before, now, current.settings);
    if (now !== current.inForce) announce();
  };
  const announce = (): void => names.recordAll(feed.callers(), announceNow);
  return {
    /** Clients start with the first view. */
    start: () => {
      announced = current.inForce;
    },
    announce,
  };
}
