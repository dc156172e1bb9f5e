// Ids of sessions: which process of the gateway began it, then a part that nobody can guess.

import { randomBytes, randomUUID } from "node:crypto";

/** Of this process. Sessions live in memory: no replica, and no process before or after this one, knows them. */
const PROCESS = randomBytes(4).toString("hex");
const FORM = /^[0-9a-f]{8}-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function createSessionId(): string {
  return `${PROCESS}-${randomUUID()}`;
}

/** Why a session is not known here, and what to do. `again` is how to begin a new one. */
export function explainUnknownSession(id: string, again: string): string {
  if (!FORM.test(id) || id.startsWith(`${PROCESS}-`)) return `Session not found. ${again}`;
  return (
    "Session not found: another process of the gateway began it, a replica or one before a restart. " +
    `${again} Behind a load balancer, route all requests of a session to one replica.`
  );
}
