// The hop from the gateway to a server as a span of its own, and the trace context for the server.

import type { Downstream } from "../../downstream/downstream.js";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { Reply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { type AttributesText, formatAttributes, showText } from "../../telemetry/attributes-text.js";
import type { Span } from "../../telemetry/span.js";
import { describeReply } from "./describe-request.js";

export interface Hop {
  readonly downstream: Downstream;
  readonly method: string;
  /** With the server's own names. */
  readonly params: JsonObject;
}

export function beginHop(parent: Span, hop: Hop): Span {
  const { method } = hop;
  const span = parent.child("client", method);
  if (!span.isSampled) return span;
  // If the caller's span is not named after its target, this one is not either: the name may be any text.
  const isNamed = parent.name !== method;
  const { name, attributes } = isNamed
    ? describeHop(hop)
    : formatHop(hop.downstream, method, hop.params["name"]);
  if (isNamed) span.name = name;
  span.add(attributes);
  return span;
}

export function endHop(span: Span, reply: Promise<Reply>, signal: CancelSignal): Promise<Reply> {
  if (!span.isSampled) return reply;
  return reply.then((replied) => {
    describeReply(span, replied, signal);
    span.end();
    return replied;
  });
}

interface HopText {
  readonly name: string;
  readonly attributes: AttributesText;
}

/** Cached by the names of the server's own tools. */
const known = new WeakMap<Downstream, Map<string, HopText>>();
/** A server may change its names any number of times. */
const MAX_KNOWN = 10_000;

function describeHop({ downstream, method, params: { name } }: Hop): HopText {
  if (METHODS.get(method)?.runsTool !== true || typeof name !== "string")
    return formatHop(downstream, method, name);
  const texts = known.get(downstream) ?? new Map<string, HopText>();
  const text = texts.get(name);
  if (text !== undefined) return text;
  const made = formatHop(downstream, method, name);
  if (texts.size === 0) known.set(downstream, texts);
  if (texts.size < MAX_KNOWN) texts.set(name, made);
  return made;
}

function formatHop({ id, launch }: Downstream, method: string, name: unknown): HopText {
  const shown = typeof name === "string" ? showText(name) : undefined;
  const isHttp = (launch.kind === "http" || launch.kind === "sse") && URL.canParse(launch.url);
  const url = isHttp ? new URL(launch.url) : undefined;
  const port = url?.port === "" ? { "http:": 80, "https:": 443 }[url.protocol] : Number(url?.port);
  const { names, runsTool } = METHODS.get(method) ?? {};
  const attributes = formatAttributes({
    "mcp.method.name": method,
    "gen_ai.operation.name": runsTool ? "execute_tool" : undefined,
    "gen_ai.tool.name": runsTool ? shown : undefined,
    "gen_ai.prompt.name": names === "prompt" ? shown : undefined,
    "network.transport": url === undefined ? "pipe" : "tcp",
    "network.protocol.name": url === undefined ? undefined : "http",
    "server.address": url === undefined ? undefined : showText(url.hostname),
    "server.port": url === undefined ? undefined : port,
    "onym.server.id": showText(id.server),
    "onym.toolbox": id.toolbox === undefined ? undefined : showText(id.toolbox),
  });
  return { name: shown === undefined ? method : `${method} ${shown}`, attributes };
}

/** The params with the span's trace context, which replaces the sender's. */
export function withTrace(params: JsonObject, span: Span): JsonObject {
  const trace =
    span.state === undefined
      ? { traceparent: span.traceparent() }
      : { traceparent: span.traceparent(), tracestate: span.state };
  const { name, arguments: args, _meta: meta } = params;
  // Handles the usual shape first: copying an object of unknown shape dominates the cost here.
  if (name !== undefined && args !== undefined && Object.keys(params).length === 2)
    return { name, arguments: args, _meta: trace };
  if (!isJsonObject(meta)) return { ...params, _meta: trace };
  const { traceparent: _, tracestate: __, ...rest } = meta;
  return { ...params, _meta: { ...rest, ...trace } };
}
