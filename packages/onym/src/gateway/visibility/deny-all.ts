// A gateway without what it decides by: clients connect and learn why, and nothing is shown to them or reached by them. A
// name shown now could be another one once the record of names can be read again.

import type { OnymError } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Router } from "../router.js";

/** What tells nothing of any server. */
const HARMLESS: ReadonlySet<string> = new Set(["ping", "logging/setLevel"]);

/** `router` is that of a gateway without servers. */
export function denyAll(router: Router, why: OnymError): Router {
  const told = `Onym refuses every request, because it cannot use its store. ${why.message} ${why.hint} Then start Onym again.`;
  const data: JsonObject = { reason: why.code };
  const explained = (reply: Reply): Reply =>
    reply.kind === "result" ? resultReply({ ...reply.result, instructions: told }) : reply;
  return {
    ...router,
    async initialize(...given) {
      const { reply, ...opened } = await router.initialize(...given);
      return { ...opened, reply: explained(reply) };
    },
    async handle(request, ...given) {
      if (HARMLESS.has(request.method)) return router.handle(request, ...given);
      if (request.method === "server/discover") return explained(await router.handle(request, ...given));
      return errorReply(CODES.internal, told, data);
    },
    subscribe: () => ({ honoured: {}, stop: () => {} }),
  };
}
