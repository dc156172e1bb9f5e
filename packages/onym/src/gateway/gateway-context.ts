// What the answers to requests are made from. Handlers take a desk and return a reply; nothing else is shared.

import type { JsonObject } from "../mcp/json.js";
import type { Log } from "../model/log.js";
import type { Session } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import type { View } from "./catalog/gateway-snapshot.js";
import type { TellProblems } from "./catalog/log-problems.js";
import type { NameDesk } from "./catalog/name-recorder.js";
import type { ForwardPorts } from "./forward/forward-request.js";
import type { ToolLists } from "./listing/tool-lists.js";
import type { OwnedResource } from "./resource-subscriptions.js";
import type { ToolSearch } from "./search/build-tool-search.js";
import type { ServerInfoFor } from "./server-info.js";
import type { GatewaySettings } from "./settings.js";
import type { Toolboxes } from "./toolboxes/create-toolboxes.js";

/** A view and what is made of it on demand; swapped together. */
export interface Sight {
  readonly view: View;
  /** With servers that are down, and what they are known to offer. Only to tell whose a name is. */
  readonly known: () => View;
  readonly lists: ToolLists;
  readonly search: () => ToolSearch;
  /** What callers may see and run. */
  readonly guard: Guard;
}

export interface Desk {
  /** As of now. A handler takes it once and uses it to its end. */
  readonly sight: () => Sight;
  readonly settings: () => GatewaySettings;
  /** Resolves when nothing is starting any more, or when `listMs` are over. */
  readonly settle: () => Promise<void>;
  /** Who shows names takes the sight from here. */
  readonly names: Pick<NameDesk, "isShared" | "secure" | "renew">;
  readonly toolboxes: Toolboxes;
  /** Somebody (else) follows this resource, under whatever address. */
  readonly isFollowed: (resource: OwnedResource, except: Session | undefined) => boolean;
  /** What a session is shown may have changed; it is told where it did. */
  readonly changed: (session: Session) => void;
  readonly forward: ForwardPorts;
  /** As this caller knows the gateway. */
  readonly serverInfo: JsonObject;
  readonly serverInfoFor: ServerInfoFor;
  /** Says in the log what a list leaves out or renames, once. */
  readonly tellProblems: TellProblems;
  readonly log: Log;
}
