// A change feed over servers in memory, with its announcements, and clients that keep what they receive.

import type { Notification } from "../../downstream/downstream.js";
import { silentLog } from "../../model/log.js";
import type { Caller, Session } from "../caller.js";
import type { View } from "../gateway-context.js";
import { shownDigest } from "../methods/list-tools.js";
import type { GatewaySettings } from "../settings.js";
import { Announcements } from "../view/announcements.js";
import { createChangeFeed } from "../view/change-feed.js";
import { createMemoryDownstream, toolsNamed } from "./memory-downstream.js";
import { buildCaller, buildSession, buildSettings, serverOf, snapshotOf, viewOf } from "./test-callers.js";

export function createFeedStage() {
  const fs = createMemoryDownstream({ tools: toolsNamed("a"), resources: [{ uri: "file:///a" }] });
  const git = createMemoryDownstream({ resources: [{ uri: "git://a" }] }, { server: "git" });
  // Heard, and offers nothing yet: while it was not heard, no bare address would lead anywhere.
  const box = createMemoryDownstream({}, { server: "box", toolbox: "dev" });
  let settings: GatewaySettings = buildSettings({ servers: [serverOf(fs), serverOf(git), serverOf(box)] });
  const look = (): View => viewOf(snapshotOf({ downstreams: [fs, git, box], settings }));
  let view = look();
  const sessions = new Set<Session>();
  const modernCallers = new Set<Caller>();
  const feed = createChangeFeed({
    sessions,
    modernCallers,
    latestView: () => view,
    recordNames: () => view,
    settings: () => settings,
    log: silentLog,
  });
  const announcements = new Announcements({
    sessions,
    listeners: feed.listeners,
    inForce: () => view,
    recordNames: () => view,
    settings: () => settings,
    log: silentLog,
  });
  announcements.start();
  return {
    fs,
    git,
    box,
    feed,
    sessions,
    modernCallers,
    /** Resolves when clients have been told. */
    swap(next: Partial<GatewaySettings> = {}): Promise<void> {
      settings = { ...settings, ...next };
      view = look();
      return announcements.announce();
    },
    enter(with_: Partial<Session> = {}) {
      const resources = feed.followers.createSet();
      for (const address of with_.resources ?? []) resources.add(address);
      const session = buildSession({ ...with_, resources });
      sessions.add(session);
      session.shown ??= shownDigest(session, view, settings);
      return session;
    },
    listen(filter: object) {
      const received: Notification[] = [];
      const listening = feed.listen(
        { ...filter },
        buildCaller(),
        (notification) => void received.push(notification),
      );
      return { received, ...listening };
    },
  };
}
