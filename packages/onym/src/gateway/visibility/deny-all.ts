// A gateway without what it decides by: clients connect and learn why, and nothing is shown to them or reached by them. A
// name shown now could be another one once the record of names can be read again.

import type { OnymError } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Front } from "../router.js";

/** What tells nothing of any server. */
const HARMLESS: ReadonlySet<string> = new Set(["ping", "logging/setLevel"]);

/** `front` is that of a gateway without servers. */
export function denyAll(front: Front, why: OnymError): Front {
  const told = `Onym refuses every request, because it cannot use its store. ${why.message} ${why.hint} Then start Onym again.`;
  const data: JsonObject = { reason: why.code };
  const explained = (reply: Reply): Reply =>
    reply.kind === "result" ? resultReply({ ...reply.result, instructions: told }) : reply;
  return {
    ...front,
    async initialize(...given) {
      const { reply, ...opened } = await front.initialize(...given);
      return { ...opened, reply: explained(reply) };
    },
    async respond(request, ...given) {
      if (HARMLESS.has(request.method)) return front.respond(request, ...given);
      if (request.method === "server/discover") return explained(await front.respond(request, ...given));
      return errorReply(CODES.internal, told, data);
    },
    listen: () => ({ honoured: {}, stop: () => {} }),
  };
}
