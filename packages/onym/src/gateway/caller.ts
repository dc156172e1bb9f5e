// Who makes a request: a client with its profile, for one request (modern) or for a whole session (legacy).

import type { Profile } from "@onym/core";
import type { Notification, ServerRequest } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import type { Era, LogLevel } from "../mcp/protocol.js";
import type { Reply } from "../mcp/reply.js";

export interface Caller {
  /** Unique to the session, or to the request where there is none. */
  readonly id: string;
  /** Whom approvals and records are about: the name of a token, the subject of an OAuth token, else `local`. */
  readonly principal: string;
  /** By what its share of the gateway is counted: who it is, else where it connects from (SAFE-5). */
  readonly callerKey: string;
  /** The only toolboxes it sees and calls; absent: everything. */
  readonly confinedTo?: readonly string[] | undefined;
  readonly era: Era;
  readonly revision: string;
  readonly clientInfo: JsonObject | undefined;
  readonly capabilities: JsonObject;
  /** Whose names it sees. */
  readonly profile: Profile;
  /** Why this profile: the header, endpoint, config or evidence that decided. One line for people. */
  readonly chosenBy: string;
  /** The name under which the client has registered the gateway, where it said so. */
  readonly as: string | undefined;
  readonly logLevel: LogLevel | undefined;
  /** `undefined` for modern requests. */
  readonly session: Session | undefined;
}

/** A client that began with `initialize`. What it changes with later requests lives here. */
export interface Session extends Caller {
  readonly era: "legacy";
  readonly channel: ClientChannel;
  logLevel: LogLevel | undefined;
  /** `notifications/initialized` arrived: the client may be told and asked. */
  ready: boolean;
  /** Toolboxes it has opened (GW-10). */
  readonly toolboxes: Set<string>;
  /** Resources it follows, by the address it knows. */
  readonly resources: Set<string>;
  /** Those of them that somebody approved when it began to follow them, as the policy asked for. */
  readonly approvedResources: Set<string>;
  /** Digest of the tools it was last shown or told about; changes are told once (GW-7). */
  shown: string | undefined;
}
/** The way to a client with a session. */

export interface ClientChannel {
  readonly notify: (notification: Notification) => void;
  /** A request to the client. Answers with an error where it cannot be reached, and when the signal is aborted. */
  readonly sendRequest: (serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>;
}
