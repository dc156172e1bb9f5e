// What the span of a request says: in the terms of OpenTelemetry's conventions for MCP (in development when this was
// written), and ours for what they do not know. Never arguments, results or the text of errors: they may hold anything.

import { escapeText, type Tool, traceAttributesOf, traceNameOfTool } from "@onym/core";
import { type AttributesText, formatAttributes, showText } from "../../observe/attributes-text.js";
import type { Span } from "../../observe/span.js";
import type { RpcRequest } from "../../rpc/message.js";
import { CODES } from "../../rpc/protocol.js";
import type { Reply } from "../../rpc/reply.js";
import type { Caller } from "../caller.js";
import type { View } from "../view/view.js";

type Transport = "tcp" | "pipe";

/** How it came, and from whom. */
export function describeRequest(
  span: Span,
  input: { readonly request: RpcRequest; readonly caller: Caller | undefined; readonly transport: Transport },
): void {
  const { request, caller, transport } = input;
  span.add(commonAttributes(request.method, caller, transport));
  span.set("jsonrpc.request.id", showText(String(request.id)));
  if (caller?.session !== undefined) span.set("mcp.session.id", caller.session.id);
}

/** Methods, revisions and profiles are few. */
const common = new Map<string, AttributesText>();

function commonAttributes(method: string, caller: Caller | undefined, transport: Transport): AttributesText {
  const { revision, profile } = caller ?? {};
  const key = `${method} ${transport} ${revision} ${profile?.id}`;
  let text = common.get(key);
  if (text === undefined) {
    text = formatAttributes({
      "mcp.method.name": method,
      "mcp.protocol.version": revision,
      "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
      "network.transport": transport,
      "network.protocol.name": transport === "tcp" ? "http" : undefined,
      "onym.profile": profile?.id,
    });
    common.set(key, text);
  }
  return text;
}

interface KnownTool {
  readonly profile: Caller["profile"];
  readonly as: string | undefined;
  readonly sent: string;
  readonly spanName: string;
  readonly attributes: AttributesText;
}

/** As it was last called. */
const known = new WeakMap<Tool, KnownTool>();

/** The tool that a call has found, by whatever name. */
export function describeTool(
  span: Span | undefined,
  call: { readonly tool: Tool; readonly view: View; readonly caller: Caller; readonly sent: string },
): void {
  if (span?.isSampled !== true) return;
  const { tool, caller, sent } = call;
  let described = known.get(tool);
  if (described?.sent !== sent || described.profile !== caller.profile || described.as !== caller.as) {
    described = describeAnew(call);
    known.set(tool, described);
  }
  span.name = described.spanName;
  span.add(described.attributes);
}

function describeAnew({ tool, view, caller, sent }: Parameters<typeof describeTool>[1]): KnownTool {
  const { key, canonical, server, toolbox } = tool;
  // A name that is passed through to whoever takes it is anybody's, and none for a span.
  const name = view.tableOf(caller).nameOf(tool);
  const label = name === undefined ? undefined : traceNameOfTool({ name });
  const { "gen_ai.operation.name": _, ...attributes } = traceAttributesOf({
    tool: { key, canonical, server, toolbox },
    name: name ?? sent,
  });
  return {
    profile: caller.profile,
    as: caller.as,
    sent,
    spanName: label === undefined ? "tools/call" : `tools/call ${escapeText(label)}`,
    attributes: formatAttributes({
      ...attributes,
      "onym.tool.sent": sent === name ? undefined : showText(sent),
    }),
  };
}

/** A call that led nowhere. Its name may be anything, so that the span is not named after it. */
export function describeRefused(span: Span | undefined, sent: string, outcome: string): void {
  if (span?.isSampled !== true) return;
  span.set("gen_ai.tool.name", showText(sent));
  span.set("onym.resolution", outcome);
}

/** One of the gateway's own tools; `use_tool` is traced as what it uses. */
export function describeOwnTool(span: Span | undefined, tool: string): void {
  if (span?.isSampled !== true) return;
  span.name = `tools/call ${tool}`;
  span.set("onym.tool.own", tool);
  if (tool !== "use_tool") span.set("gen_ai.tool.name", tool);
}

export function describePrompt(span: Span | undefined, { server, canonical }: Tool, name: string): void {
  if (span?.isSampled !== true) return;
  span.name = `prompts/get ${showText(name)}`;
  span.set("gen_ai.prompt.name", showText(name));
  span.set("onym.prompt.canonical", showText(canonical));
  span.set("onym.server.id", showText(server));
}

/** What it came to. What the caller did wrong is no error of a server. */
export function describeReply(span: Span, reply: Reply): void {
  if (reply.kind === "error") {
    const { code } = reply.error;
    const isOurs = code === CODES.internal || (code <= -32000 && code >= -32099);
    fail(span, String(code), span.kind === "client" || isOurs);
    span.set("rpc.response.status_code", String(code));
    span.set("onym.outcome", "error");
  } else if (reply.kind === "result" && reply.result["isError"] === true) {
    fail(span, "tool_error", true);
    span.set("onym.outcome", "tool_error");
  } else {
    const asks = reply.kind === "result" && reply.result["resultType"] === "input_required";
    span.set("onym.outcome", asks ? "input_required" : "result");
  }
}

function fail(span: Span, type: string, isError: boolean): void {
  if (!isError) return;
  span.isError = true;
  span.set("error.type", type);
}
