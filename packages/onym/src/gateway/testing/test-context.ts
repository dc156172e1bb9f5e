// A context over servers in memory, for request handlers.

import type { Downstream } from "../../downstream/downstream.js";
import { silentLog } from "../../model/log.js";
import { createSessionRequests } from "../forward/session-requests.js";
import { createSuspendedCalls } from "../forward/suspended-calls.js";
import type { GatewayContext } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import { createToolboxes } from "../toolboxes/create-toolboxes.js";
import { buildSettings, serverOf, snapshotOf, viewOf } from "./test-callers.js";

export function buildTestContext(
  downstreams: readonly Downstream[],
  with_: Partial<GatewaySettings> = {},
): GatewayContext {
  const settings = buildSettings({ servers: downstreams.map((each) => serverOf(each)), ...with_ });
  const view = viewOf(snapshotOf({ downstreams, settings }));
  const serverInfo = { name: "onym" };
  return {
    latestView: () => view,
    settings: () => settings,
    waitForServers: async () => true,
    names: {
      isShared: false,
      recordNames: () => view,
      recordPromptNames: async () => view,
      reload: async () => {},
    },
    toolboxes: createToolboxes({
      settings: () => settings,
      connect: (toolbox) => downstreams.filter(({ id }) => id.toolbox === toolbox),
      disconnect: async () => {},
    }),
    isSubscribed: () => false,
    roomToFollow: () => 10_000,
    changed: () => undefined,
    forward: {
      suspended: createSuspendedCalls(),
      serverInfo,
      callMs: () => 5000,
      epoch: () => 0,
      sessionRequests: createSessionRequests(),
      reconsider: (call) => view.guard.reconsider(call),
    },
    serverInfo,
    serverInfoFor: () => serverInfo,
    logProblems: () => {},
    log: silentLog,
  };
}
