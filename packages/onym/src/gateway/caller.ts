// Who makes a request: a client with its profile, for one request (modern) or for a whole session (legacy).

import type { Profile } from "@onym/core";
import type { Notification, ServerRequest } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import type { Reply } from "../mcp/message.js";
import type { Era, LogLevel } from "../mcp/protocol.js";

export interface Caller {
  /** Unique to the session, or to the request if there is no session. */
  readonly id: string;
  /**
   * The identity in approvals and audit records: the name of a token, the subject of an OAuth token, else
   * `local`.
   */
  readonly principal: string;
  /** Nothing proves who it is: any program that can connect may be it. */
  readonly isAnonymous?: boolean | undefined;
  /** The key of its quota: the proven identity, else the network address (SAFE-5). */
  readonly callerKey: string;
  /** The only toolboxes it may see and call; absent: all. */
  readonly confinedTo?: readonly string[] | undefined;
  readonly era: Era;
  readonly revision: string;
  readonly clientInfo: JsonObject | undefined;
  readonly capabilities: JsonObject;
  /** The naming rules for this caller. */
  readonly profile: Profile;
  /** Why this profile: the header, endpoint, config or evidence that decided. One line for people. */
  readonly chosenBy: string;
  /** The name under which the client registered the gateway, if it said so. */
  readonly as: string | undefined;
  readonly logLevel: LogLevel | undefined;
  /** `undefined` for modern requests. */
  readonly session: Session | undefined;
}

/** A client that began with `initialize`. Holds the state that its later requests change. */
export interface Session extends Caller {
  readonly era: "legacy";
  readonly channel: ClientChannel;
  /** A session outlives configs: a corrected profile applies to it at once (RULE-7). */
  profile: Profile;
  /** Itself. */
  session: Session | undefined;
  logLevel: LogLevel | undefined;
  /** `notifications/initialized` arrived: the gateway may now send notifications and requests. */
  ready: boolean;
  /** The toolboxes it opened (GW-10). */
  readonly toolboxes: Set<string>;
  /** The resources it subscribed to, by the URI it knows. */
  readonly resources: Set<string>;
  /**
   * Subscriptions that were approved for this once, where policy asks for approval: the URI, and the `mark` of
   * the decision to ask that was answered.
   */
  readonly approvedResources: Map<string, string>;
  /**
   * Digest of the tools it last listed or was notified about, so that each change is announced once (GW-7).
   */
  shown: string | undefined;
}

/** The channel to a client with a session. */
export interface ClientChannel {
  readonly notify: (notification: Notification) => void;
  /**
   * Sends a request to the client. Resolves to an error if the client cannot be reached or the signal aborts.
   */
  readonly sendRequest: (serverRequest: ServerRequest, signal: AbortSignal) => Promise<Reply>;
  /** How long the client has said nothing; absent where the connection itself tells whether it is there. */
  readonly idleMs?: () => number;
}
