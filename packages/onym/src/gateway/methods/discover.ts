// How the gateway introduces itself, in either era (GW-12).

import type { JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { MODERN_REVISION } from "../../mcp/protocol.js";
import { completeReply } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import type { RoutedRequest } from "../router.js";
import { instructionsFor } from "./instructions-for.js";

/** Independent of the connected servers: they come and go, and a client reads this only once. */
export const CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export async function discover({ method, caller }: RoutedRequest, context: GatewayContext): Promise<Reply> {
  const instructions = await instructionsFor(caller, context);
  const result = {
    supportedVersions: [MODERN_REVISION],
    capabilities: CAPABILITIES,
    ...(instructions === "" ? {} : { instructions }),
    ttlMs: context.latestView().snapshot.missing.length === 0 ? 60_000 : 0,
    cacheScope: "private",
  };
  return completeReply(method, result, context.serverInfo);
}
