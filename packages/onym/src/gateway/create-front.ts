// The front: requests of callers to the handlers that answer them, and sessions from beginning to end.

import { randomUUID } from "node:crypto";
import { escapeText } from "@onym/core";
import type { Downstream } from "../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../rpc/json.js";
import type { RpcRequest } from "../rpc/message.js";
import {
  CODES,
  isLogLevel,
  LATEST_LEGACY_REVISION,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISION,
} from "../rpc/protocol.js";
import { errorReply, type Reply, resultReply } from "../rpc/reply.js";
import type { Caller, Session } from "./caller.js";
import type { ChangeFeed } from "./change-feed.js";
import { chooseProfile, clientInfoOf, type ProfileChoice } from "./choose-profile.js";
import type { Desk } from "./desk.js";
import { completeResult } from "./forward/adapt-reply.js";
import type { CallerHints, Front } from "./front.js";
import { instructionsFor } from "./instructions-for.js";
import { answerRequest } from "./requests/answer-request.js";

export interface FrontPorts {
  readonly desk: Desk;
  readonly sessions: Set<Session>;
  readonly feed: ChangeFeed;
  readonly downstreams: () => readonly Downstream[];
}

/** Declared whatever is connected: downstreams come and go, and a client asks only once. */
const CAPABILITIES: JsonObject = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export function createFront({ desk, sessions, feed, downstreams }: FrontPorts): Front {
  const { serverInfo, log } = desk;
  const choose = (hints: CallerHints, clientInfo: JsonObject | undefined): ProfileChoice => {
    const { profile: configured, detect } = desk.settings().naming;
    return chooseProfile({ hints, clientInfo, configured, detect });
  };
  const problems = new WeakMap<Caller, string>();

  return {
    serverInfo,

    async initialize(request, { hints, outlet }) {
      const { protocolVersion: wished, capabilities, clientInfo } = request.params ?? {};
      if (typeof wished !== "string" || !isJsonObject(capabilities))
        return {
          reply: errorReply(
            CODES.invalidParams,
            'initialize needs "protocolVersion", "capabilities" and "clientInfo".',
          ),
        };
      const info = clientInfoOf(clientInfo);
      const choice = choose(hints, info);
      if (choice.problem !== undefined) return { reply: errorReply(CODES.invalidParams, choice.problem) };
      await desk.settle();
      const revision = LEGACY_REVISIONS.find((known) => known === wished) ?? LATEST_LEGACY_REVISION;
      const session: Session = {
        id: randomUUID(),
        era: "legacy",
        revision,
        clientInfo: info,
        capabilities,
        profile: choice.profile,
        chosenBy: choice.chosenBy,
        as: hints.as,
        logLevel: undefined,
        ready: false,
        toolboxes: new Set(),
        resources: new Set(),
        shown: undefined,
        outlet,
        get session() {
          return session;
        },
      };
      sessions.add(session);
      log("info", "client connected", {
        client: escapeText(String(info?.["name"] ?? "unknown")),
        profile: choice.profile.id,
        by: choice.chosenBy,
        revision,
      });
      const instructions = instructionsFor(session, desk);
      const result = { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo };
      return { session, reply: resultReply(instructions === "" ? result : { ...result, instructions }) };
    },

    leave(session) {
      if (!sessions.delete(session)) return;
      desk.toolboxes.leave(session.id);
      for (const uri of session.resources) unfollow(uri, session, desk);
      log("info", "client left", { client: escapeText(String(session.clientInfo?.["name"] ?? "unknown")) });
    },

    callerOf(request, hints) {
      const meta = isJsonObject(request.params?.["_meta"]) ? request.params["_meta"] : {};
      const clientInfo = clientInfoOf(meta[META.clientInfo]);
      const choice = choose(hints, clientInfo);
      const capabilities = meta[META.clientCapabilities];
      const level = meta[META.logLevel];
      const caller: Caller = {
        id: randomUUID(),
        era: "modern",
        revision: MODERN_REVISION,
        clientInfo,
        capabilities: isJsonObject(capabilities) ? capabilities : {},
        profile: choice.profile,
        chosenBy: choice.chosenBy,
        as: hints.as,
        logLevel: isLogLevel(level) ? level : undefined,
        session: undefined,
      };
      if (choice.problem !== undefined) problems.set(caller, choice.problem);
      return caller;
    },

    async respond(request, caller, exchange) {
      const problem = problems.get(caller);
      if (problem !== undefined) return errorReply(CODES.invalidParams, problem);
      if (request.method === "server/discover" && caller.era === "modern")
        return discover(request, caller, desk);
      try {
        return await answerRequest(request, { caller, exchange }, desk);
      } catch (error) {
        // A bug of ours. Its text stays in the log.
        const id = randomUUID();
        log("error", error instanceof Error ? (error.stack ?? error.message) : String(error), { id });
        return errorReply(CODES.internal, `Internal error (${id}); see the gateway's log.`);
      }
    },

    accept(notice, session) {
      if (notice.method === "notifications/initialized") session.ready = true;
      const tellsRoots =
        notice.method === "notifications/roots/list_changed" || notice.method === "notifications/initialized";
      // Downstreams ask for the roots again; the question reaches the one client there is.
      if (tellsRoots && sessions.size === 1 && Object.hasOwn(session.capabilities, "roots"))
        for (const downstream of downstreams()) downstream.notify("notifications/roots/list_changed");
    },

    listen: feed.listen,
  };
}

async function discover(request: RpcRequest, caller: Caller, desk: Desk): Promise<Reply> {
  await desk.settle();
  const instructions = instructionsFor(caller, desk);
  const result = {
    supportedVersions: [MODERN_REVISION],
    capabilities: CAPABILITIES,
    ...(instructions === "" ? {} : { instructions }),
    ttlMs: desk.sight().view.missing.length === 0 ? 60_000 : 0,
    cacheScope: "private",
  };
  return resultReply(completeResult(request.method, result, desk.serverInfo));
}

/** Ends a subscription downstream when its last follower is gone. */
function unfollow(uri: string, session: Session, desk: Desk): void {
  if (desk.isFollowed(uri, session)) return;
  const found = desk.sight().view.resources.resolve(uri);
  if (found.outcome !== "resolved") return;
  void found.owner.ask({
    method: "resources/unsubscribe",
    params: { uri: found.uri },
    signal: new AbortController().signal,
    timeoutMs: desk.settings().limits.callMs,
    from: {
      id: session.id,
      capabilities: {},
      logLevel: undefined,
      wantsProgress: false,
      tell: () => {},
      answer: undefined,
    },
  });
}
