// The reply to a request whose server is unavailable: which server, since when, why, and when it is retried.

import { errorReply, type Reply } from "../mcp/message.js";
import { CODES } from "../mcp/protocol.js";
import type { Downstream, DownstreamId, DownstreamStatus, Unhealthy } from "./downstream.js";

/** What else may help a server that did not answer in time. */
export const SLOW_START = "If it only takes long to start, raise limits.startMs in the config.";

export type DownServer = Pick<Downstream, "id" | "status" | "launch" | "down"> & {
  /** For errors: the server id, escaped and quoted. */
  readonly label: string;
  readonly now: number;
};

export function explainDown({ id, label, status, launch, down, now }: DownServer): Reply {
  const where = whereOf(id);
  if (launch.kind === "static")
    return errorReply(CODES.internal, `${label} is a static catalog: there is nothing to call`, {
      ...where,
      state: "static",
      hint: 'Give it a "command" or a "url" in the config.',
    });
  const retryMs = status.kind === "failed" ? Math.max(0, status.retryAt - now) : undefined;
  return errorReply(CODES.internal, explainState(label, status, { down, retryMs }), {
    ...where,
    state: status.kind,
    ...(down === undefined ? {} : { since: momentOf(down.since) }),
    ...(retryMs === undefined || !Number.isFinite(retryMs) ? {} : { retryAfterMs: retryMs }),
  });
}

/** The server is connected, but calls to it would only fail. */
export function explainUnhealthy(id: DownstreamId, label: string, unhealthy: Unhealthy, now: number): Reply {
  const retryMs = Math.max(0, unhealthy.retryAt - now);
  const message = `${label} is unhealthy since ${momentOf(unhealthy.since)}: its last ${unhealthy.failures} requests failed, the last one with ${unhealthy.reason}. Nothing was sent. ${nextTry(retryMs)}`;
  return errorReply(CODES.internal, message.trim(), {
    ...whereOf(id),
    state: "unhealthy",
    since: momentOf(unhealthy.since),
    last: unhealthy.reason,
    retryAfterMs: retryMs,
  });
}

function whereOf({ server, toolbox }: DownstreamId): Readonly<Record<string, string>> {
  return { server, ...(toolbox !== undefined && { toolbox }) };
}

function explainState(
  label: string,
  status: DownstreamStatus,
  { down, retryMs }: Pick<DownServer, "down"> & { readonly retryMs: number | undefined },
): string {
  const since = down === undefined ? "" : ` since ${momentOf(down.since)}`;
  switch (status.kind) {
    case "idle":
      return `${label} is not started`;
    case "starting":
      return down === undefined
        ? `${label} is starting`
        : `${label} is down${since}: ${down.reason}. It is being tried again now.`;
    case "ready":
    case "closed":
      return `${label} is closed`;
    case "failed":
      return `${label} is down${since}: ${status.reason}. ${nextTry(retryMs)}${status.hint}`;
  }
}

function nextTry(ms = Number.POSITIVE_INFINITY): string {
  return Number.isFinite(ms) ? `It is tried again in ${Math.ceil(ms / 1000)} s. ` : "";
}

/** To the second, readable for people and programs. */
export function momentOf(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
