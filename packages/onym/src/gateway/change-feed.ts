// Who hears of what changed: list changes once per real change (GW-7), resource updates for those who follow them,
// log messages only where it is certain whose they are.

import type { Downstream, Notice } from "../downstream/downstream.js";
import type { Log } from "../observe/log.js";
import type { JsonObject } from "../rpc/json.js";
import type { RpcNotification } from "../rpc/message.js";
import type { Caller, Session } from "./caller.js";
import type { Sight } from "./desk.js";
import { admitsLevel } from "./forward/forward-request.js";
import type { Listening } from "./front.js";
import { shownDigest } from "./requests/list-tools.js";
import type { GatewaySettings } from "./settings.js";
import type { View } from "./view/view.js";

export interface ChangeFeed {
  /** A new view is in force. */
  readonly announce: (before: Sight, after: Sight, settings: GatewaySettings) => void;
  /** Tells one session that its tools changed, where they did since it last saw them. */
  readonly check: (session: Session, sight: Sight, settings: GatewaySettings) => void;
  /** A notice of a downstream that belongs to no request. */
  readonly relay: (downstream: Downstream, notice: RpcNotification, view: View) => void;
  readonly listen: (filter: JsonObject, caller: Caller, tell: (notice: Notice) => void) => Listening;
}

interface Listener {
  readonly caller: Caller;
  readonly tools: boolean;
  readonly prompts: boolean;
  readonly resources: boolean;
  readonly uris: ReadonlySet<string>;
  readonly tell: (notice: Notice) => void;
}

const TOOLS = "notifications/tools/list_changed";
const PROMPTS = "notifications/prompts/list_changed";
const RESOURCES = "notifications/resources/list_changed";

export function createChangeFeed(ports: {
  readonly sessions: ReadonlySet<Session>;
  readonly log: Log;
}): ChangeFeed {
  const { sessions, log } = ports;
  const listeners = new Set<Listener>();
  const tellSessions = (method: string): void => {
    for (const session of sessions) if (session.ready) session.outlet.tell({ method, params: {} });
  };

  const check: ChangeFeed["check"] = (session, sight, settings) => {
    // Who never listed has nothing that could have changed.
    if (!session.ready || session.shown === undefined) return;
    const digest = shownDigest(session, sight, settings);
    if (digest === session.shown) return;
    session.shown = digest;
    session.outlet.tell({ method: TOOLS, params: {} });
  };

  return {
    announce(before, after, settings) {
      for (const session of sessions) check(session, after, settings);
      for (const { caller, tools, tell } of listeners) {
        if (tools && shownDigest(caller, before, settings) !== shownDigest(caller, after, settings))
          tell({ method: TOOLS, params: {} });
      }
      if (digestOf(before.view, "prompts") !== digestOf(after.view, "prompts")) {
        tellSessions(PROMPTS);
        for (const { prompts, tell } of listeners) if (prompts) tell({ method: PROMPTS, params: {} });
      }
      if (digestOf(before.view, "resources") !== digestOf(after.view, "resources")) {
        tellSessions(RESOURCES);
        for (const { resources, tell } of listeners) if (resources) tell({ method: RESOURCES, params: {} });
      }
    },
    check,
    relay(downstream, { method, params = {} }, view) {
      if (method === "notifications/resources/updated" && typeof params["uri"] === "string") {
        const uri = view.resources.publicUri(downstream, params["uri"]);
        const notice = { method, params: { ...params, uri } };
        for (const session of sessions) if (session.resources.has(uri)) session.outlet.tell(notice);
        for (const { uris, tell } of listeners) if (uris.has(uri)) tell(notice);
      } else if (method === "notifications/message") {
        const [only] = sessions;
        const isCertain = sessions.size === 1 && only !== undefined && only.ready;
        if (isCertain && admitsLevel(only, params["level"])) only.outlet.tell({ method, params });
        else if (!isCertain)
          log("debug", "log message of a server, for no one client", {
            server: downstream.id.server,
            level: String(params["level"]),
          });
      }
    },
    listen(filter, caller, tell) {
      const { toolsListChanged, promptsListChanged, resourcesListChanged, resourceSubscriptions } = filter;
      const uris = Array.isArray(resourceSubscriptions)
        ? resourceSubscriptions.filter((uri) => typeof uri === "string")
        : [];
      const listener: Listener = {
        caller,
        tools: toolsListChanged === true,
        prompts: promptsListChanged === true,
        resources: resourcesListChanged === true,
        uris: new Set(uris),
        tell,
      };
      listeners.add(listener);
      return {
        honoured: {
          ...(listener.tools ? { toolsListChanged: true } : {}),
          ...(listener.prompts ? { promptsListChanged: true } : {}),
          ...(listener.resources ? { resourcesListChanged: true } : {}),
          ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}),
        },
        stop: () => void listeners.delete(listener),
      };
    },
  };
}

const digests = new WeakMap<View, Map<string, string>>();

/** What the downstreams of a view offer of a kind, as one text; made once per view. */
function digestOf(view: View, kind: "prompts" | "resources"): string {
  const made = digests.get(view) ?? new Map<string, string>();
  digests.set(view, made);
  const known = made.get(kind);
  if (known !== undefined) return known;
  const text = JSON.stringify(
    view.present.map(({ id, inventory }) => [
      id,
      kind === "prompts" ? inventory?.prompts : [inventory?.resources, inventory?.templates],
    ]),
  );
  made.set(kind, text);
  return text;
}
