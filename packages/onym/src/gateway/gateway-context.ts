// The input of all handlers. A handler takes a context and returns a reply; nothing else is shared.

import type { Downstream } from "../downstream/downstream.js";
import type { JsonObject } from "../mcp/json.js";
import type { Log } from "../model/log.js";
import type { Session } from "./caller.js";
import type { Guard } from "./calls/guard.js";
import type { GatewaySnapshot, NamesChoice } from "./catalog/gateway-snapshot.js";
import type { LogProblems } from "./catalog/log-problems.js";
import type { ForwardPorts } from "./forward/forward-request.js";
import type { SharedTexts } from "./listing/shared-texts.js";
import type { ToolLists } from "./listing/tool-lists.js";
import type { ViewSearch } from "./search/view-search.js";
import type { GatewaySettings } from "./settings.js";
import type { Toolboxes } from "./toolboxes/toolboxes.js";

/** A view and the values derived from it on demand; swapped together. */
export interface View {
  readonly snapshot: GatewaySnapshot;
  /** Includes servers that are down, with what they last offered. Use it only to find the owner of a name. */
  readonly known: () => GatewaySnapshot;
  readonly lists: ToolLists;
  readonly texts: SharedTexts;
  readonly search: ViewSearch;
  /** What callers may see and run. */
  readonly guard: Guard;
}

export interface GatewayContext {
  /**
   * The view with every change that is ready. Where something has changed, this builds the view, puts it in force and tells
   * clients. A handler takes it once and uses it to the end.
   */
  readonly latestView: () => View;
  readonly settings: () => GatewaySettings;
  /**
   * Resolves when no server is starting any more, or after `maxMs`; without it after `listMs`, but not before one
   * server is up. `false` if some server is still starting.
   */
  readonly waitForServers: (maxMs?: number) => Promise<boolean>;
  /** Handlers that show or resolve names take their view from here. */
  readonly names: RecordedNames;
  readonly toolboxes: Toolboxes;
  /** Whether any client follows this resource, under any URI. */
  readonly isSubscribed: (resource: OwnedResource) => boolean;
  /** How many more resources a caller may follow. */
  readonly roomToFollow: (callerKey: string) => number;
  /** Call when a session's lists may have changed. Resolves when it is notified, if they did. */
  readonly changed: (session: Session) => Promise<void> | undefined;
  readonly forward: ForwardPorts;
  /** As this caller knows the gateway. */
  readonly serverInfo: JsonObject;
  readonly serverInfoFor: ServerInfoFor;
  /** Logs once what a list leaves out or renames. */
  readonly logProblems: LogProblems;
  readonly log: Log;
}

/** A resource as its server knows it. */
export interface OwnedResource {
  readonly owner: Downstream;
  readonly uri: string;
}

export type ServerInfoFor = (alias: string | undefined) => JsonObject;

/** Records names before any client sees them. */
export interface RecordedNames {
  /** Other replicas publish names from the same lock. */
  readonly isShared: boolean;
  /**
   * Records the names that the view in force shows this caller, and returns that view. If the store rejects
   * names, the view has fewer.
   */
  readonly recordNames: (choice: NamesChoice) => View | Promise<View>;
  /** The same for the names of prompts. */
  readonly recordPromptNames: (choice: NamesChoice) => Promise<View>;
  /** Reads what other replicas recorded before this call. */
  readonly reload: () => Promise<void>;
}
