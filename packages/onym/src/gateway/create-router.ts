// The router: passes requests to their handlers, and keeps sessions from start to end.

import { randomUUID } from "node:crypto";
import { escapeText } from "@onym/core";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import type { Downstream } from "../downstream/downstream.js";
import type { Tickets } from "../mcp/fast-path/in-flight.js";
import type { JsonObject } from "../mcp/json.js";
import { errorReply, type Reply, type RpcRequest, refuseLargeParams, resultReply } from "../mcp/message.js";
import { METHODS, type RoutedMethod } from "../mcp/methods.js";
import { CODES, isLogLevel } from "../mcp/protocol.js";
import type { CallSink } from "../model/call-report.js";
import { AbandonedError } from "../model/run-slices.js";
import type { Caller, Session } from "./caller.js";
import { callTool } from "./calls/call-tool.js";
import { prepareOrigin } from "./calls/resolve-tool.js";
import { type AdmitAlias, aliasFacts } from "./choose-profile.js";
import { describeError } from "./failure-codes.js";
import type { GatewayContext, ServerInfoFor } from "./gateway-context.js";
import { CAPABILITIES, discover } from "./methods/discover.js";
import { instructionsFor } from "./methods/instructions-for.js";
import { listTools } from "./methods/list-tools.js";
import { getPrompt, listPrompts } from "./methods/prompts.js";
import { completeArgument, handleResource, listResources, listTemplates } from "./methods/resources.js";
import { clientName, Observation } from "./observe/observation.js";
import { createListenerSubscriptions } from "./resources/listener-subscriptions.js";
import type { RequestContext, RoutedRequest, Router } from "./router.js";
import { callerKeyOf, createCallers } from "./sessions/create-callers.js";
import type { PendingRequests } from "./sessions/in-flight-requests.js";
import { callOwnTool } from "./toolboxes/call-meta-tool.js";
import { announceRoots } from "./unsolicited-requests.js";
import type { ChangeFeed } from "./view/change-feed.js";
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
  /** What became of each request is reported here, and nowhere else (OBS-1). */
  readonly sinks: readonly CallSink[];
}

export function createRouter(ports: RouterOptions): Router {
  const {
    context,
    sessions,
    modernCallers,
    feed,
    pendingRequests,
    downstreams,
    admitAlias,
    isClosing,
    sinks,
  } = ports;
  const { log } = context;
  /** A session keeps its context: building it again for every call takes 5 % of a call over stdio. */
  const confined = new WeakMap<Session, GatewayContext>();
  const confinedContextOf = (caller: Caller): GatewayContext => {
    const { session } = caller;
    const known = session === undefined ? undefined : confined.get(session);
    if (known !== undefined) return known;
    const own = confineContext(context, caller);
    if (session !== undefined) confined.set(session, own);
    return own;
  };
  const contextFor = (caller: Caller): GatewayContext => introduceAs(confinedContextOf(caller), caller);
  const callers = createCallers({ context, feed, admitAlias });
  /** A bug in the gateway. The details stay in the log. */
  const reportBug = (error: unknown, { observed }: Partial<RequestContext> = {}): Reply => {
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
    const fail = (error: unknown): Reply =>
      finish(error instanceof AbandonedError ? NOBODY_LEFT : reportBug(error, requestContext));
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
    const problem = callers.problemOf(caller);
    if (problem !== undefined) return Promise.resolve(errorReply(CODES.invalidParams, problem));
    const ticket = modernCallers.take(caller);
    return begin(request, caller, requestContext).then((reply) => {
      modernCallers.drop(ticket);
      return reply;
    });
  };

  return {
    serverInfoOf: (caller) => contextFor(caller).serverInfo,

    async initialize(request, { hints, channel }) {
      const tooLarge = refuseLargeParams(request.params);
      if (tooLarge !== undefined) return { reply: tooLarge };
      const opened = callers.openSession(request.params ?? {}, hints, channel);
      if (!opened.ok) return { reply: errorReply(CODES.invalidParams, opened.problem) };
      const { session } = opened;
      // From now on: a config that comes into force while servers start is for it, too.
      sessions.add(session);
      try {
        const own = contextFor(session);
        const instructions = await instructionsFor(session, own);
        const { serverInfo } = own;
        const result = { protocolVersion: session.revision, capabilities: CAPABILITIES, serverInfo };
        log("info", "client connected", {
          client: clientName(session),
          profile: session.profile.id,
          by: session.chosenBy,
          revision: session.revision,
          ...aliasFacts(session, hints),
        });
        return { session, reply: resultReply(instructions === "" ? result : { ...result, instructions }) };
      } catch (error) {
        sessions.delete(session);
        return { reply: reportBug(error) };
      }
    },

    closeSession(session) {
      if (!sessions.delete(session)) return;
      context.toolboxes.leave(session.id);
      subscriptions.end(session.resources, context);
      log("info", "client left", { client: clientName(session) });
    },

    identifyCaller: callers.identify,

    handle(request, caller, requestContext) {
      if (request.method === "ping") return answer(request, caller, requestContext);
      const { signal, notify, sendRequest, whileAdmitted, headers, held, span } = requestContext;
      const observed = new Observation(request, caller, span?.traceId);
      const watched = { signal, notify, sendRequest, whileAdmitted, headers, held, span, observed };
      return answer(request, caller, watched).then((reply) => {
        const report = observed.end(reply, signal.aborted);
        for (const sink of sinks) sink.ended(report);
        return reply;
      });
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
      if (callers.problemOf(caller) !== undefined) return { honoured: {}, stop: () => {} };
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

/** To a request whose client has left while it was worked on: nobody reads it. */
const NOBODY_LEFT = errorReply(CODES.internal, "The client has left.");

type Handler = (call: RoutedRequest, context: GatewayContext) => Promise<Reply> | Reply;

/** One for every row of `METHODS` that does not open a session or a stream. */
const HANDLERS: Readonly<Record<RoutedMethod, Handler>> = {
  "server/discover": discover,
  ping: () => resultReply({}),
  "logging/setLevel": setLogLevel,
  "tools/list": ({ params, caller }, context) => listTools(params, caller, context),
  "tools/call": (call, context) => {
    const origin = prepareOrigin(call.params, call.caller, context.latestView().snapshot);
    return origin === undefined ? callAnyTool(call, context) : origin.then(() => callAnyTool(call, context));
  },
  "prompts/list": listPrompts,
  "prompts/get": getPrompt,
  "resources/list": listResources,
  "resources/templates/list": listTemplates,
  "resources/read": handleResource,
  "resources/subscribe": handleResource,
  "resources/unsubscribe": handleResource,
  "completion/complete": completeArgument,
};
const handlers: ReadonlyMap<string, Handler> = new Map(Object.entries(HANDLERS));

/** Method → handler, before which nothing copies the params. A method of the other era gets "method not found". */
export function handleRequest(
  { method, params = {}, argumentsText }: RpcRequest,
  { caller, requestContext }: { readonly caller: Caller; readonly requestContext: RequestContext },
  context: GatewayContext,
): Promise<Reply> | Reply {
  const handle = METHODS.get(method)?.eras.includes(caller.era) ? handlers.get(method) : undefined;
  if (handle === undefined)
    return errorReply(CODES.methodNotFound, `Method not found: ${escapeText(method.slice(0, 200))}`);
  const refused = refuseLargeParams(params);
  if (refused !== undefined) return refused;
  const epoch = context.forward.epoch();
  return handle({ method, params, argumentsText, caller, requestContext, epoch }, context);
}

function callAnyTool(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  return (hasOwnTools(context) ? callOwnTool(call, context) : undefined) ?? callTool(call, context);
}

/** Most gateways have none: no toolboxes, and a list that does not grow. */
function hasOwnTools(context: GatewayContext): boolean {
  const { toolboxes, mode } = context.settings();
  return toolboxes.length > 0 || mode !== "static";
}

function setLogLevel({ params: { level }, caller: { session } }: RoutedRequest): Reply {
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
