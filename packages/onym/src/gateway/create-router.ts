// The router: passes requests to their handlers, and keeps sessions from start to end.

import { randomUUID } from "node:crypto";
import { escapeText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Downstream } from "../downstream/downstream.js";
import type { Tickets } from "../mcp/fast-path/in-flight.js";
import { isJsonObject, type JsonObject } from "../mcp/json.js";
import { errorReply, type Reply, type RpcRequest, resultReply } from "../mcp/message.js";
import { METHODS, type RoutedMethod } from "../mcp/methods.js";
import {
  CODES,
  isLogLevel,
  LATEST_LEGACY_REVISION,
  LEGACY_REVISIONS,
  META,
  MODERN_REVISION,
} from "../mcp/protocol.js";
import type { CallReport, CallSink } from "../model/call-report.js";
import type { Caller, Session } from "./caller.js";
import { callTool } from "./calls/call-tool.js";
import type { ToolCall } from "./calls/tool-call.js";
import type { ChangeFeed } from "./change-feed.js";
import {
  type AdmitAlias,
  admitChoice,
  aliasFacts,
  chooseProfile,
  clientInfoOf,
  createDetectionLog,
  type ProfileChoice,
} from "./choose-profile.js";

import { describeError } from "./failure-codes.js";
import type { GatewayContext, ServerInfoFor } from "./gateway-context.js";
import { CAPABILITIES, discover } from "./methods/discover.js";
import { instructionsFor } from "./methods/instructions-for.js";
import { listTools } from "./methods/list-tools.js";
import { getPrompt, listPrompts } from "./methods/prompts.js";
import { askResource, completeArgument, listResources, listTemplates } from "./methods/resources.js";
import { clientName, Observation } from "./observe/observation.js";
import { createListenerSubscriptions } from "./resources/listener-subscriptions.js";
import type { CallerHints, RequestContext, Router } from "./router.js";
import type { PendingRequests } from "./sessions/in-flight-requests.js";
import { callOwnTool } from "./toolboxes/call-meta-tool.js";
import { announceRoots } from "./unsolicited-requests.js";
import { confineContext } from "./visibility/caller-visibility.js";

export interface RouterOptions {
  readonly context: GatewayContext;
  readonly sessions: Set<Session>;
  /** Modern callers whose requests are in flight. */
  readonly modernCallers: Tickets<Caller>;
  readonly feed: ChangeFeed;
  readonly pendingRequests: PendingRequests;
  readonly downstreams: () => readonly Downstream[];
  readonly admitAlias: AdmitAlias;
  /** The connections to all servers end. */
  readonly isClosing: () => boolean;
}

/** The principal when the gateway requires no authentication. */
const LOCAL = "local";

/** Sessions keep what a client says of itself; 500 of one caller kept 4 MB each (SAFE-5). */
const MAX_INTRODUCTION_LENGTH = 65_536;
const LONG_INTRODUCTION = `"clientInfo" and "capabilities" have more than ${MAX_INTRODUCTION_LENGTH} characters together.`;

function isLongIntroduction(...values: readonly unknown[]): boolean {
  return JSON.stringify(values).length > MAX_INTRODUCTION_LENGTH;
}

function callerKeyOf({ callerKey, principal }: CallerHints): string {
  return callerKey ?? principal ?? LOCAL;
}

export function createRouter(ports: RouterOptions): Router {
  const { context, sessions, modernCallers, feed, pendingRequests, downstreams, admitAlias, isClosing } =
    ports;
  const { log } = context;
  /** A session keeps its context: building it again for every call takes 5 % of a call over stdio. */
  const confined = new WeakMap<Session, GatewayContext>();
  const confinedTo = (caller: Caller): GatewayContext => {
    const { session } = caller;
    const known = session === undefined ? undefined : confined.get(session);
    if (known !== undefined) return known;
    const own = confineContext(context, caller);
    if (session !== undefined) confined.set(session, own);
    return own;
  };
  const contextFor = (caller: Caller): GatewayContext => introduceAs(confinedTo(caller), caller);
  const choose = (hints: CallerHints, clientInfo: JsonObject | undefined): ProfileChoice => {
    const { profiles, naming } = context.settings();
    const { profile: configured, detect } = naming;
    const choice = chooseProfile({ hints, clientInfo, configured, detect, profiles });
    return admitChoice(choice, hints, (as) =>
      admitAlias({ as, profile: choice.profile.id }, callerKeyOf(hints)),
    );
  };
  const logDetected = createDetectionLog(log);
  /**
   * Callers that requested something they cannot have. The caller exists, but every request of it is refused.
   */
  const problems = new WeakMap<Caller, string>();
  /** A bug in the gateway. The details stay in the log. */
  const reportBug = (error: unknown, { observed }: Pick<RequestContext, "observed"> = {}): Reply => {
    const id = randomUUID();
    log("error", describeError(error), { id, ...observed?.facts });
    return errorReply(CODES.internal, `Internal error (${id}); see the gateway's log.`);
  };
  const subscriptions = createListenerSubscriptions({ isClosing, reportBug });
  const finish = (reply: Reply): Reply => {
    pendingRequests.end();
    return reply;
  };
  const begin = (request: RpcRequest, caller: Caller, requestContext: RequestContext): Promise<Reply> => {
    const fail = (error: unknown): Reply => finish(reportBug(error, requestContext));
    pendingRequests.begin();
    try {
      const reply = handleRequest(request, { caller, requestContext }, contextFor(caller));
      return reply instanceof Promise ? reply.then(finish, fail) : Promise.resolve(finish(reply));
    } catch (error) {
      return Promise.resolve(fail(error));
    }
  };
  const answer = (request: RpcRequest, caller: Caller, requestContext: RequestContext): Promise<Reply> => {
    if (caller.session !== undefined) return begin(request, caller, requestContext);
    const ticket = modernCallers.take(caller);
    return begin(request, caller, requestContext).then((reply) => {
      modernCallers.drop(ticket);
      return reply;
    });
  };

  return {
    serverInfoOf: (caller) => contextFor(caller).serverInfo,

    async initialize(request, { hints, channel }) {
      const { protocolVersion: wished, capabilities, clientInfo } = request.params ?? {};
      if (typeof wished !== "string" || !isJsonObject(capabilities))
        return {
          reply: errorReply(
            CODES.invalidParams,
            'initialize needs "protocolVersion", "capabilities" and "clientInfo".',
          ),
        };
      if (isLongIntroduction(clientInfo, capabilities))
        return { reply: errorReply(CODES.invalidParams, LONG_INTRODUCTION) };
      const info = clientInfoOf(clientInfo);
      const choice = choose(hints, info);
      if (choice.problem !== undefined) return { reply: errorReply(CODES.invalidParams, choice.problem) };
      const revision = LEGACY_REVISIONS.find((known) => known === wished) ?? LATEST_LEGACY_REVISION;
      const session: Session = {
        id: randomUUID(),
        principal: hints.principal ?? LOCAL,
        callerKey: callerKeyOf(hints),
        confinedTo: hints.terms?.toolboxes,
        era: "legacy",
        revision,
        clientInfo: info,
        capabilities,
        // A session outlives configs, so a corrected profile applies to it at once (RULE-7).
        get profile() {
          return context.settings().profiles.find(choice.profile.id) ?? choice.profile;
        },
        chosenBy: choice.chosenBy,
        as: choice.alias,
        logLevel: undefined,
        ready: false,
        toolboxes: new Set(),
        resources: feed.followers.createSetOf(callerKeyOf(hints)),
        approvedResources: new Map(),
        shown: undefined,
        channel,
        get session() {
          return session;
        },
      };
      try {
        const own = contextFor(session);
        const instructions = await instructionsFor(session, own);
        const { serverInfo } = own;
        const result = { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo };
        sessions.add(session);
        log("info", "client connected", {
          client: clientName(session),
          profile: choice.profile.id,
          by: choice.chosenBy,
          revision,
          ...aliasFacts(session, hints),
        });
        return { session, reply: resultReply(instructions === "" ? result : { ...result, instructions }) };
      } catch (error) {
        return { reply: reportBug(error) };
      }
    },

    closeSession(session) {
      if (!sessions.delete(session)) return;
      context.toolboxes.leave(session.id);
      subscriptions.end(session.resources, context);
      log("info", "client left", { client: clientName(session) });
    },

    identifyCaller(request, hints) {
      const meta = isJsonObject(request.params?.["_meta"]) ? request.params["_meta"] : {};
      const isLong = isLongIntroduction(meta[META.clientInfo], meta[META.clientCapabilities]);
      const clientInfo = isLong ? undefined : clientInfoOf(meta[META.clientInfo]);
      const choice = choose(hints, clientInfo);
      const capabilities = isLong ? undefined : meta[META.clientCapabilities];
      const level = meta[META.logLevel];
      const caller: Caller = {
        id: randomUUID(),
        principal: hints.principal ?? LOCAL,
        callerKey: callerKeyOf(hints),
        confinedTo: hints.terms?.toolboxes,
        era: "modern",
        revision: MODERN_REVISION,
        clientInfo,
        capabilities: isJsonObject(capabilities) ? capabilities : {},
        profile: choice.profile,
        chosenBy: choice.chosenBy,
        as: choice.alias,
        logLevel: isLogLevel(level) ? level : undefined,
        session: undefined,
      };
      const problem = isLong ? LONG_INTRODUCTION : choice.problem;
      if (problem !== undefined) problems.set(caller, problem);
      else logDetected(caller, hints);
      return caller;
    },

    handle(request, caller, requestContext) {
      const problem = problems.get(caller);
      return problem === undefined
        ? answer(request, caller, requestContext)
        : Promise.resolve(errorReply(CODES.invalidParams, problem));
    },

    handleNotification(notification, session) {
      if (notification.method === "notifications/initialized") session.ready = true;
      const hasNewRoots =
        notification.method === "notifications/roots/list_changed" ||
        notification.method === "notifications/initialized";
      if (hasNewRoots) announceRoots(sessions, downstreams());
    },

    roomToFollow: (hints) => context.roomToFollow(callerKeyOf(hints)),

    subscribe(filter, caller, notify) {
      if (problems.has(caller)) return { honoured: {}, stop: () => {} };
      const { honoured, following, stop } = feed.listen(filter, caller, notify);
      const end = subscriptions.begin(following, confineContext(context, caller));
      return {
        honoured,
        stop() {
          stop();
          end();
        },
      };
    },
  };
}

type Handler = (call: ToolCall, context: GatewayContext) => Promise<Reply> | Reply;

/** One for every row of `METHODS` that does not open a session or a stream. */
const HANDLERS: Readonly<Record<RoutedMethod, Handler>> = {
  "server/discover": discover,
  ping: () => resultReply({}),
  "logging/setLevel": setLogLevel,
  "tools/list": ({ params, caller }, context) => listTools(params, caller, context),
  "tools/call": (call, context) =>
    (hasOwnTools(context) ? callOwnTool(call, context) : undefined) ?? callTool(call, context),
  "prompts/list": ({ params, caller }, context) => listPrompts(params, caller, context),
  "prompts/get": getPrompt,
  "resources/list": ({ params, caller }, context) => listResources(params, caller, context),
  "resources/templates/list": ({ params, caller }, context) => listTemplates(params, caller, context),
  "resources/read": askResource,
  "resources/subscribe": askResource,
  "resources/unsubscribe": askResource,
  "completion/complete": completeArgument,
};
const handlers: ReadonlyMap<string, Handler> = new Map(Object.entries(HANDLERS));

/** Method → handler. A method of the other era gets "method not found". */
export function handleRequest(
  { method, params = {}, argumentsText }: RpcRequest,
  { caller, requestContext }: { readonly caller: Caller; readonly requestContext: RequestContext },
  context: GatewayContext,
): Promise<Reply> | Reply {
  const handle = METHODS.get(method)?.eras.includes(caller.era) ? handlers.get(method) : undefined;
  return handle === undefined
    ? errorReply(CODES.methodNotFound, `Method not found: ${escapeText(method.slice(0, 200))}`)
    : handle({ method, params, argumentsText, caller, requestContext }, context);
}

/** Most gateways have none: no toolboxes, and a list that does not grow. */
function hasOwnTools(context: GatewayContext): boolean {
  const { toolboxes, mode } = context.settings();
  return toolboxes.length > 0 || mode !== "static";
}

function setLogLevel({ params: { level }, caller: { session } }: ToolCall): Reply {
  if (!isLogLevel(level)) return errorReply(CODES.invalidParams, 'logging/setLevel needs a known "level".');
  if (session !== undefined) session.logLevel = level;
  return resultReply({});
}

/** Aliases are few; those beyond this limit are not cached. */
const MAX_KNOWN = 100;

/** Returns the same object for the same alias, so that replies built from it can be cached. */
export function createServerInfo(version: string): ServerInfoFor {
  const known = new Map<string, JsonObject>();
  return (alias = DEFAULT_ALIAS) => {
    const before = known.get(alias);
    if (before !== undefined) return before;
    const info = { name: alias, title: alias === DEFAULT_ALIAS ? "Onym" : alias, version };
    if (known.size < MAX_KNOWN) known.set(alias, info);
    return info;
  };
}

/** The context for a caller that registered the gateway under an alias. */
function introduceAs(context: GatewayContext, { as }: { readonly as: string | undefined }): GatewayContext {
  const serverInfo = context.serverInfoFor(as ?? context.settings().naming.as);
  if (serverInfo === context.serverInfo) return context;
  return { ...context, serverInfo, forward: { ...context.forward, serverInfo } };
}

// A router that counts, shows and logs its requests: the one place that reports the outcome of a request
// (OBS-1).

export function observeRouter(router: Router, sinks: readonly CallSink[]): Router {
  const report = (report: CallReport): void => {
    for (const sink of sinks) sink.ended(report);
  };
  return {
    ...router,
    handle(request: RpcRequest, caller, requestContext) {
      if (request.method === "ping") return router.handle(request, caller, requestContext);
      const { signal, notify, sendRequest, whileAdmitted, headers, held, span } = requestContext;
      const observed = new Observation(request, caller, span?.traceId);
      return router
        .handle(request, caller, {
          signal,
          notify,
          sendRequest,
          whileAdmitted,
          headers,
          held,
          span,
          observed,
        })
        .then((reply: Reply) => {
          report(observed.end(reply, signal.aborted));
          return reply;
        });
    },
  };
}
