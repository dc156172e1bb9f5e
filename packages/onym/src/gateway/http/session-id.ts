// Session ids: the gateway process that opened it, then an unguessable part.

import { randomBytes, randomUUID } from "node:crypto";

/**
 * Identifies this process. Sessions live in memory: no replica and no earlier or later process knows them.
 */
const PROCESS = randomBytes(4).toString("hex");
const FORM = /^[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createSessionId(): string {
  return `${PROCESS}-${randomUUID()}`;
}

/** Why a session is unknown here, and what to do. `again` says how to start a new one. */
export function explainUnknownSession(id: string, again: string): string {
  if (!FORM.test(id) || id.startsWith(`${PROCESS}-`)) return `Session not found. ${again}`;
  return (
    "Session not found: another process of the gateway began it, a replica or one before a restart. " +
    `${again} Behind a load balancer, route all requests of a session to one replica.`
  );
}
