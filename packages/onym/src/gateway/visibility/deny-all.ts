// A gateway that cannot read what it decides by: clients connect and learn why, but see and reach nothing. A
// name shown now could change once the recorded names are readable again.

import type { JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import type { OnymError } from "../../model/onym-error.js";
import { RPC_CODES } from "../failure-codes.js";
import type { Router } from "../router.js";

/** `router` is that of a gateway without servers. */
export function denyAll(router: Router, why: OnymError): Router {
  const message = `Onym refuses every request, because it cannot use its store. ${why.message} ${why.hint} Then start Onym again.`;
  const data: JsonObject = { reason: why.code };
  const explained = (reply: Reply): Reply =>
    reply.kind === "result" ? resultReply({ ...reply.result, instructions: message }) : reply;
  return {
    ...router,
    async initialize(...given) {
      const { reply, ...opened } = await router.initialize(...given);
      return { ...opened, reply: explained(reply) };
    },
    async handle(request, ...given) {
      if (METHODS.get(request.method)?.isHarmless === true) return router.handle(request, ...given);
      if (request.method === "server/discover") return explained(await router.handle(request, ...given));
      return errorReply(RPC_CODES[why.code], message, data);
    },
    subscribe: () => ({ honoured: {}, stop: () => {} }),
  };
}
