// The answer to a request that cannot be put to its downstream: which one, why, and when it is tried again.

import { CODES } from "../rpc/protocol.js";
import { errorReply, type Reply } from "../rpc/reply.js";
import type { DownstreamId, DownstreamStatus } from "./downstream.js";
import type { Launch } from "./launch.js";

export interface Down {
  readonly id: DownstreamId;
  readonly label: string;
  readonly status: DownstreamStatus;
  readonly launch: Launch;
  readonly now: number;
}

export function explainDown({ id, label, status, launch, now }: Down): Reply {
  const where = { server: id.server, ...(id.toolbox !== undefined && { toolbox: id.toolbox }) };
  if (launch.kind === "static")
    return errorReply(CODES.internal, `${label} is a static catalog: there is nothing to call`, {
      ...where,
      state: "static",
      hint: 'Give it a "command" or a "url" in the config.',
    });
  return errorReply(CODES.internal, explainState(label, status, now), { ...where, state: status.kind });
}

function explainState(label: string, status: DownstreamStatus, now: number): string {
  switch (status.kind) {
    case "idle":
      return `${label} is not started`;
    case "starting":
      return `${label} is starting`;
    case "ready":
    case "closed":
      return `${label} is closed`;
    case "failed": {
      const seconds = Math.max(0, Math.ceil((status.retryAt - now) / 1000));
      const next = Number.isFinite(seconds) ? `It is tried again in ${seconds} s. ` : "";
      return `${label} is down: ${status.reason}. ${next}${status.hint}`;
    }
  }
}
