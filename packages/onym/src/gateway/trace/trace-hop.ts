// The way from the gateway to a downstream as a span of its own, and how the downstream learns which trace it is in.

import type { Downstream } from "../../downstream/downstream.js";
import { type AttributesText, formatAttributes, showText } from "../../observe/attributes-text.js";
import type { Span } from "../../observe/span.js";
import type { CancelSignal } from "../../rpc/cancel-signal.js";
import { isJsonObject, type JsonObject } from "../../rpc/json.js";
import type { Reply } from "../../rpc/reply.js";
import { describeReply } from "./describe-request.js";

export interface Hop {
  readonly downstream: Downstream;
  readonly method: string;
  /** With the downstream's own names in them. */
  readonly params: JsonObject;
}

export function beginHop(parent: Span, { downstream, method, params }: Hop): Span {
  const span = parent.child("client", method);
  if (!span.isSampled) return span;
  span.add(hopAttributes(downstream, method));
  const { name } = params;
  if (typeof name !== "string") return span;
  const shown = showText(name);
  // Where the caller's name was none for a span, this is none either.
  if (parent.name !== method) span.name = `${method} ${shown}`;
  span.set(method === "prompts/get" ? "gen_ai.prompt.name" : "gen_ai.tool.name", shown);
  return span;
}

export function endHop(span: Span, reply: Promise<Reply>, signal: CancelSignal): Promise<Reply> {
  if (!span.isSampled) return reply;
  return reply.then((replied) => {
    if (signal.aborted) span.set("onym.outcome", "cancelled");
    else describeReply(span, replied);
    span.end();
    return replied;
  });
}

/** Methods that are forwarded are few. */
const known = new WeakMap<Downstream, Map<string, AttributesText>>();

function hopAttributes(downstream: Downstream, method: string): AttributesText {
  const texts = known.get(downstream) ?? new Map<string, AttributesText>();
  const text = texts.get(method) ?? formatHop(downstream, method);
  if (texts.size === 0) known.set(downstream, texts);
  texts.set(method, text);
  return text;
}

function formatHop({ id, launch }: Downstream, method: string): AttributesText {
  const url =
    (launch.kind === "http" || launch.kind === "sse") && URL.canParse(launch.url)
      ? new URL(launch.url)
      : undefined;
  const port = url?.port === "" ? { "http:": 80, "https:": 443 }[url.protocol] : Number(url?.port);
  return formatAttributes({
    "mcp.method.name": method,
    "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
    "network.transport": url === undefined ? "pipe" : "tcp",
    "network.protocol.name": url === undefined ? undefined : "http",
    "server.address": url === undefined ? undefined : showText(url.hostname),
    "server.port": url === undefined ? undefined : port,
    "onym.server.id": showText(id.server),
    "onym.toolbox": id.toolbox === undefined ? undefined : showText(id.toolbox),
  });
}

/** The params of a request that belongs to the span. What its sender said of the trace has led to the span. */
export function withTrace(params: JsonObject, span: Span): JsonObject {
  const trace =
    span.state === undefined
      ? { traceparent: span.traceparent() }
      : { traceparent: span.traceparent(), tracestate: span.state };
  const { name, arguments: args, _meta: meta } = params;
  // The usual shape: to copy an object of any shape costs more than all else here.
  if (name !== undefined && args !== undefined && Object.keys(params).length === 2)
    return { name, arguments: args, _meta: trace };
  if (!isJsonObject(meta)) return { ...params, _meta: trace };
  const { traceparent: _, tracestate: __, ...rest } = meta;
  return { ...params, _meta: { ...rest, ...trace } };
}
