// A desk over downstreams in memory, for the handlers of requests.

import type { Downstream } from "../../downstream/downstream.js";
import { silentLog } from "../../model/log.js";
import { createParkedCalls } from "../forward/suspended-calls.js";
import type { Desk } from "../gateway-context.js";
import type { GatewaySettings } from "../settings.js";
import { createToolboxes } from "../toolboxes/create-toolboxes.js";
import { buildSettings, serverOf, sightOf, viewOf } from "./test-callers.js";

export function deskOf(downstreams: readonly Downstream[], with_: Partial<GatewaySettings> = {}): Desk {
  const settings = buildSettings({ servers: downstreams.map((each) => serverOf(each)), ...with_ });
  const sight = sightOf(viewOf({ downstreams, settings }));
  const serverInfo = { name: "onym" };
  return {
    sight: () => sight,
    settings: () => settings,
    settle: async () => {},
    names: { isShared: false, secure: () => sight, renew: async () => {} },
    toolboxes: createToolboxes({
      settings: () => settings,
      connect: (toolbox) => downstreams.filter(({ id }) => id.toolbox === toolbox),
      disconnect: () => {},
    }),
    isFollowed: () => false,
    changed: () => {},
    forward: { parked: createParkedCalls(), serverInfo, callMs: 5000 },
    serverInfo,
    serverInfoFor: () => serverInfo,
    tellProblems: () => {},
    log: silentLog,
  };
}
