// What the span of a request says: in the terms of OpenTelemetry's conventions for MCP (in development when this was
// written), and ours for what they do not know. Never arguments, results or the text of errors: they may hold anything.

import { type Tool, type ToolKey, traceNameOfTool } from "@onym/core";
import type { CancelSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { RpcRequest } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Reply } from "../../mcp/reply.js";
import {
  type AttributesText,
  formatAttributes,
  showJson,
  showText,
} from "../../telemetry/attributes-text.js";
import type { Span } from "../../telemetry/span.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";

interface Described {
  readonly request: RpcRequest;
  readonly caller: Caller | undefined;
  readonly transport: "tcp" | "pipe";
}

/** How it came, and from whom. */
export function describeRequest(span: Span, described: Described): void {
  const { id } = described.request;
  span.add(callerAttributes(described));
  span.set("jsonrpc.request.id", typeof id === "number" ? String(id) : showText(id));
}

interface KnownCaller {
  readonly method: string;
  readonly text: AttributesText;
}

/** What was last asked in a session. */
const sessions = new WeakMap<Caller, KnownCaller>();
/** Without a session: methods, revisions and profiles are few. */
const alike = new Map<string, AttributesText>();

function callerAttributes({ request: { method }, caller, transport }: Described): AttributesText {
  const { revision, profile, session } = caller ?? {};
  const last = session === undefined ? undefined : sessions.get(session);
  if (last?.method === method) return last.text;
  const key = `${method} ${transport} ${revision} ${profile?.id}`;
  const common = alike.get(key) ?? formatCommon({ method, transport, revision, profile: profile?.id });
  alike.set(key, common);
  if (session === undefined) return common;
  const text = `${common},${formatAttributes({ "mcp.session.id": session.id })}` as AttributesText;
  sessions.set(session, { method, text });
  return text;
}

function formatCommon({
  method,
  transport,
  revision,
  profile,
}: Readonly<Record<string, string | undefined>>) {
  return formatAttributes({
    "mcp.method.name": method,
    "mcp.protocol.version": revision,
    "gen_ai.operation.name": method === "tools/call" ? "execute_tool" : undefined,
    "network.transport": transport,
    "network.protocol.name": transport === "tcp" ? "http" : undefined,
    "onym.profile": profile,
  });
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
  call: {
    readonly tool: Tool;
    readonly snapshot: GatewaySnapshot;
    readonly caller: Caller;
    readonly sent: string;
  },
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

function describeAnew({ tool, snapshot, caller, sent }: Parameters<typeof describeTool>[1]): KnownTool {
  // A name that is passed through to whoever takes it is anybody's, and none for a span.
  const name = snapshot.tableOf(caller).nameOf(tool);
  const label = name === undefined ? undefined : traceNameOfTool({ name });
  return {
    profile: caller.profile,
    as: caller.as,
    // Of its own: a piece of a text keeps all of that text.
    sent: sent === name ? name : Buffer.from(sent).toString(),
    spanName: label === undefined ? "tools/call" : `tools/call ${showText(label)}`,
    // The names of `traceAttributesOf`, as far as there is no other way to tell: every byte is sent with every call.
    attributes: formatAttributes({
      "gen_ai.tool.name": showText(name ?? sent),
      "onym.tool.sent": sent === name ? undefined : showText(sent),
      ...identityOf(tool, snapshot.tools.lineageOf(tool).key),
    }),
  };
}

/** Which tool it is, whatever it is called, and which version of what (ID-10); the key is the first that it had (LOCK-5). */
function identityOf(tool: Tool, key: ToolKey): Readonly<Record<string, string | number | undefined>> {
  const { canonical, integration, integrationVersion, toolVersion, server, toolbox } = tool;
  return {
    "onym.tool.key": showJson(key),
    "onym.tool.canonical": showText(canonical),
    "onym.tool.version": toolVersion,
    "onym.integration.name": showText(integration),
    "onym.integration.version": integrationVersion,
    "onym.server.id": showText(server),
    "onym.toolbox": toolbox === undefined ? undefined : showText(toolbox),
  };
}

/** A call that led nowhere. Its name may be anything, so that the span is not named after it. */
export function describeRefused(
  span: Span | undefined,
  {
    sent,
    outcome,
    denied,
    snapshot,
  }: {
    readonly sent: string;
    readonly outcome: string;
    readonly denied?: Tool | undefined;
    readonly snapshot: GatewaySnapshot;
  },
): void {
  if (span?.isSampled !== true) return;
  span.set("gen_ai.tool.name", showText(sent));
  span.set("onym.resolution", outcome);
  if (denied === undefined) return;
  // Only the caller must not hear of it.
  describeDecision(span, "deny");
  span.add(formatAttributes(identityOf(denied, snapshot.tools.lineageOf(denied).key)));
}

/** One of the gateway's own tools; `use_tool` is traced as what it uses. */
export function describeOwnTool(span: Span | undefined, tool: string): void {
  if (span?.isSampled !== true) return;
  span.name = `tools/call ${tool}`;
  span.set("onym.tool.own", tool);
  if (tool !== "use_tool") span.set("gen_ai.tool.name", tool);
}

const DECISIONS = {
  allow: formatAttributes({ "onym.decision": "allow" }),
  ask: formatAttributes({ "onym.decision": "ask" }),
  deny: formatAttributes({ "onym.decision": "deny" }),
};

/** Whether the call may run. */
export function describeDecision(span: Span | undefined, kind: keyof typeof DECISIONS): void {
  if (span?.isSampled === true) span.add(DECISIONS[kind]);
}

export function describePrompt(span: Span | undefined, { server, canonical }: Tool, name: string): void {
  if (span?.isSampled !== true) return;
  span.name = `prompts/get ${showText(name)}`;
  span.set("gen_ai.prompt.name", showText(name));
  span.set("onym.prompt.canonical", showText(canonical));
  span.set("onym.server.id", showText(server));
}

/** What it came to. What the caller did wrong is no error of a server. */
export function describeReply(span: Span, reply: Reply, { aborted }: Pick<CancelSignal, "aborted">): void {
  if (aborted) span.add(OUTCOMES.cancelled);
  else if (reply.kind === "error") {
    const { code } = reply.error;
    span.isError = span.kind === "client" || code === CODES.internal || (code <= -32000 && code >= -32099);
    if (span.isError) span.set("error.type", String(code));
    span.set("rpc.response.status_code", String(code));
    span.add(OUTCOMES.error);
  } else if (reply.kind === "result" && reply.result["isError"] === true) {
    span.isError = true;
    span.add(OUTCOMES.toolError);
  } else {
    const asks = reply.kind === "result" && reply.result["resultType"] === "input_required";
    span.add(asks ? OUTCOMES.inputRequired : OUTCOMES.result);
  }
}

const OUTCOMES = {
  result: formatAttributes({ "onym.outcome": "result" }),
  inputRequired: formatAttributes({ "onym.outcome": "input_required" }),
  toolError: formatAttributes({ "onym.outcome": "tool_error", "error.type": "tool_error" }),
  error: formatAttributes({ "onym.outcome": "error" }),
  cancelled: formatAttributes({ "onym.outcome": "cancelled" }),
};
