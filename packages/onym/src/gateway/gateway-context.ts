// What the answers to requests are made from. Handlers take a context and return a reply; nothing else is shared.

import type { Downstream } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import type { Log } from "../model/log.js";
import type { Session } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import type { GatewaySnapshot, NamesChoice } from "./catalog/gateway-snapshot.js";
import type { LogProblems } from "./catalog/log-problems.js";
import type { ForwardPorts } from "./forward/forward-request.js";
import type { ToolLists } from "./listing/tool-lists.js";
import type { ToolSearch } from "./search/build-tool-search.js";
import type { GatewaySettings } from "./settings.js";
import type { Toolboxes } from "./toolboxes/toolboxes.js";

/** A view and what is made of it on demand; swapped together. */
export interface View {
  readonly snapshot: GatewaySnapshot;
  /** With servers that are down, and what they are known to offer. Only to tell whose a name is. */
  readonly known: () => GatewaySnapshot;
  readonly lists: ToolLists;
  readonly search: () => ToolSearch;
  /** What callers may see and run. */
  readonly guard: Guard;
}

export interface GatewayContext {
  /** As of now. A handler takes it once and uses it to its end. */
  readonly view: () => View;
  readonly settings: () => GatewaySettings;
  /** Resolves when nothing is starting any more, or when `listMs` are over. */
  readonly settle: () => Promise<void>;
  /** Who shows names takes the view from here. */
  readonly names: RecordedNames;
  readonly toolboxes: Toolboxes;
  /** Somebody (else) follows this resource, under whatever address. */
  readonly isSubscribed: (resource: OwnedResource, except: Session | undefined) => boolean;
  /** What a session is shown may have changed; it is told where it did. */
  readonly changed: (session: Session) => void;
  readonly forward: ForwardPorts;
  /** As this caller knows the gateway. */
  readonly serverInfo: JsonObject;
  readonly serverInfoFor: ServerInfoFor;
  /** Says in the log what a list leaves out or renames, once. */
  readonly logProblems: LogProblems;
  readonly log: Log;
}

/** A resource as its downstream knows it. */
export interface OwnedResource {
  readonly owner: Downstream;
  readonly uri: string;
}

export type ServerInfoFor = (alias: string | undefined) => JsonObject;

/** Names go on record before anybody sees them. */
export interface RecordedNames {
  /** Others give out names of the same lock. */
  readonly isShared: boolean;
  /** The view in force, once all that it shows this caller is on record; with less in it where the store refuses. */
  readonly viewWithNames: (choice: NamesChoice) => View | Promise<View>;
  /** Knows what others recorded before this was called. */
  readonly reload: () => Promise<void>;
}
