// A small, honest server behind the edges' interface: it echoes, reports progress, asks, waits, and remembers.

import { findProfile } from "@onym/core";
import type { Notification } from "../../packages/onym/src/downstream/downstream.js";
import type { Caller, Session } from "../../packages/onym/src/gateway/caller.js";
import type { CallerHints, RequestContext, Router } from "../../packages/onym/src/gateway/router.js";
import { type CancelSignal, toAbortSignal } from "../../packages/onym/src/mcp/fast-path/in-flight.js";
import { isJsonObject, type JsonObject } from "../../packages/onym/src/mcp/json.js";
import {
  errorReply,
  formatResult,
  type Reply,
  type RpcRequest,
  resultReply,
} from "../../packages/onym/src/mcp/message.js";
import { CODES, LEGACY_REVISIONS, META, MODERN_REVISION } from "../../packages/onym/src/mcp/protocol.js";

export interface EchoRouter extends Router {
  /** What happened, in order: "open ID", "leave", "begin wait", "abort wait", "accept METHOD". */
  readonly events: readonly string[];
  /** Resolves when an event has happened (as often as said). */
  readonly until: (event: string, times?: number) => Promise<void>;
  readonly sessions: readonly Session[];
  readonly hints: readonly CallerHints[];
  /** Tells every open subscription, filtered by what it asked for. */
  readonly publish: (notification: Notification) => void;
  /** Lets the calls that wait answer; the tool `release` does the same. */
  readonly release: () => void;
}

const TOOLS = ["echo", "progress", "ask", "wait", "caller"].map((name) => ({
  name,
  inputSchema: { type: "object" },
}));
const SERVER_INFO = { name: "echo", version: "1.0.0" };
const CAPABILITIES = { tools: { listChanged: true }, logging: {} };

export function createEchoRouter(): EchoRouter {
  const events: string[] = [];
  const sessions: Session[] = [];
  const seen: CallerHints[] = [];
  const waiting = new Set<() => void>();
  const listening = new Set<(notification: Notification) => void>();
  const watchers = new Set<() => void>();
  const profile = findProfile("universal");
  if (profile === undefined) throw new Error("no universal profile");
  const note = (event: string) => {
    events.push(event);
    for (const watcher of [...watchers]) watcher();
  };
  const base = { capabilities: {}, profile, chosenBy: "test", logLevel: undefined };

  const hold = (signal: CancelSignal) =>
    new Promise<void>((resolve) => {
      waiting.add(resolve);
      signal.addEventListener("abort", () => resolve());
    });
  const release = () => {
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const call = async (
    request: RpcRequest,
    caller: Caller,
    requestContext: RequestContext,
  ): Promise<Reply> => {
    const { params = {} } = request;
    const args = isJsonObject(params["arguments"]) ? params["arguments"] : {};
    switch (params["name"]) {
      case "echo":
        return text(JSON.stringify(args));
      case "mirror":
        requestContext.notify({ method: "notifications/x", params: args });
        return resultReply({ args });
      case "caller":
        return text(JSON.stringify({ era: caller.era, revision: caller.revision, as: caller.as }));
      case "progress": {
        const meta = isJsonObject(params["_meta"]) ? params["_meta"] : {};
        for (const progress of [1, 2, 3]) {
          const notification = { progressToken: meta["progressToken"], progress, total: 3 };
          requestContext.notify({ method: "notifications/progress", params: notification });
        }
        if (args["hold"] === true) await hold(requestContext.signal);
        return text("done");
      }
      case "release":
        release();
        return text("released");
      case "ask":
        return ask(params, requestContext);
      case "wait": {
        note("begin wait");
        await hold(requestContext.signal);
        if (requestContext.signal.aborted) note("abort wait");
        return text("waited");
      }
      case "throw":
        throw new Error("a bug");
      default:
        return errorReply(CODES.invalidParams, "Unknown tool");
    }
  };

  const ask = async (params: JsonObject, requestContext: RequestContext): Promise<Reply> => {
    const question = {
      method: "elicitation/create",
      params: {
        mode: "form",
        message: "Who?",
        requestedSchema: { type: "object", properties: { who: { type: "string" } } },
      },
    };
    if (requestContext.sendRequest === undefined) {
      const given = params["inputResponses"];
      if (isJsonObject(given)) return text(JSON.stringify(given["who"]));
      return resultReply({
        resultType: "input_required",
        inputRequests: { who: question },
        requestState: "1",
      });
    }
    const reply = await requestContext.sendRequest(question, toAbortSignal(requestContext.signal));
    return reply.kind === "error" ? reply : text(formatResult(reply));
  };

  const respond = async (
    request: RpcRequest,
    caller: Caller,
    requestContext: RequestContext,
  ): Promise<Reply> => {
    switch (request.method) {
      case "ping":
        if (caller.era === "legacy") return resultReply({});
        break;
      case "tools/list":
        return resultReply({ tools: TOOLS, ttlMs: 0, cacheScope: "private" });
      case "tools/call":
        return call(request, caller, requestContext);
      case "server/discover":
        return resultReply({
          supportedVersions: [MODERN_REVISION],
          capabilities: CAPABILITIES,
          ttlMs: 0,
          cacheScope: "private",
        });
    }
    return errorReply(CODES.methodNotFound, `Method not found: ${request.method}`);
  };

  return {
    serverInfoOf: () => SERVER_INFO,
    roomToFollow: () => 10_000,
    events,
    sessions,
    hints: seen,
    until: (event, times = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (events.filter((each) => each === event).length < times) return;
          watchers.delete(look);
          resolve();
        };
        watchers.add(look);
        look();
      }),
    publish: (notification) => {
      for (const tell of listening) tell(notification);
    },
    release,
    async initialize({ params = {} }, { hints, channel }) {
      const wanted = params["protocolVersion"];
      if (typeof wanted !== "string") {
        return { reply: errorReply(CODES.invalidParams, "protocolVersion is missing") };
      }
      const known = (LEGACY_REVISIONS as readonly string[]).includes(wanted);
      const revision = known ? wanted : LEGACY_REVISIONS[0];
      const capabilities = isJsonObject(params["capabilities"]) ? params["capabilities"] : {};
      const session: Session = {
        ...base,
        id: `session ${sessions.length + 1}`,
        principal: "local",
        callerKey: "local",
        era: "legacy",
        revision,
        clientInfo: undefined,
        capabilities,
        as: hints.as,
        session: undefined,
        channel,
        ready: false,
        toolboxes: new Set(),
        resources: new Set(),
        approvedResources: new Map(),
        shown: undefined,
      };
      seen.push(hints);
      sessions.push(session);
      note("open");
      const result = { protocolVersion: revision, capabilities: CAPABILITIES, serverInfo: SERVER_INFO };
      return { reply: resultReply(result), session };
    },
    closeSession: () => note("leave"),
    identifyCaller(request, hints) {
      const meta = request.params?.["_meta"];
      const revision = isJsonObject(meta) ? String(meta[META.protocolVersion]) : "";
      seen.push(hints);
      const id = `request ${seen.length}`;
      return {
        ...base,
        id,
        principal: "local",
        callerKey: "local",
        era: "modern",
        revision,
        clientInfo: undefined,
        as: hints.as,
        session: undefined,
      };
    },
    async handle(request, caller, requestContext) {
      const reply = await respond(request, caller, requestContext);
      if (reply.kind !== "result" || caller.era === "legacy") return reply;
      const _meta = { [META.serverInfo]: SERVER_INFO };
      return resultReply({ resultType: "complete", ...reply.result, _meta });
    },
    handleNotification({ method }, session) {
      if (method === "notifications/initialized") session.ready = true;
      note(`accept ${method}`);
    },
    subscribe(filter, _caller, tell) {
      const honoured = filter["toolsListChanged"] === true ? { toolsListChanged: true } : {};
      listening.add(tell);
      note("listen");
      return {
        honoured,
        stop: () => {
          listening.delete(tell);
          note("unlisten");
        },
      };
    },
  };
}

function text(said: string): Reply {
  return resultReply({ content: [{ type: "text", text: said }] });
}
