// Attributes of a request's span: OpenTelemetry's conventions for MCP (in development when this was written),
// plus our own for what they lack. Never arguments, results or error texts: they may hold anything.

import type { Tool, ToolKey } from "@onym/core";
import { traceNameOfTool } from "@onym/core/identity";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import type { Reply, RpcRequest } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { CODES } from "../../mcp/protocol.js";
import {
  type AttributesText,
  formatAttributes,
  showJson,
  showText,
} from "../../telemetry/attributes-text.js";
import type { Span } from "../../telemetry/span.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { outcomeOf } from "../observe/observation.js";

interface Described {
  readonly request: RpcRequest;
  readonly caller: Caller | undefined;
  readonly transport: "tcp" | "pipe";
}

/** Transport and caller. */
export function describeRequest(span: Span, described: Described): void {
  const { id } = described.request;
  span.add(callerAttributes(described));
  span.set("jsonrpc.request.id", typeof id === "number" ? String(id) : showText(id));
}

interface KnownCaller {
  readonly method: string;
  readonly text: AttributesText;
}

/** The last request of a session. */
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
    "gen_ai.operation.name": METHODS.get(method ?? "")?.runsTool ? "execute_tool" : undefined,
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

/** The last call of a tool. */
const known = new WeakMap<Tool, KnownTool>();

/** The tool that a call resolved to, by any name. */
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
  // A passthrough name may be any text, so no span is named after it.
  const name = snapshot.tableOf(caller).nameOf(tool);
  const label = name === undefined ? undefined : traceNameOfTool({ name });
  return {
    profile: caller.profile,
    as: caller.as,
    // A copy: a substring would keep the whole source text in memory.
    sent: sent === name ? name : Buffer.from(sent).toString(),
    spanName: label === undefined ? "tools/call" : `tools/call ${showText(label)}`,
    // The names of `traceAttributesOf`, only those that cannot be derived: every byte is sent with every
    // call.
    attributes: formatAttributes({
      "gen_ai.tool.name": showText(name ?? sent),
      "onym.tool.sent": sent === name ? undefined : showText(sent),
      ...identityOf(tool, snapshot.tools.lineageOf(tool).key),
    }),
  };
}

/**
 * The tool's identity independent of its name, and its version (ID-10); the key is its first one (LOCK-5).
 */
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

/** A call that did not resolve. Its name may be any text, so the span is not named after it. */
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
  // The trace may show the denial; only the caller must not see it.
  describeDecision(span, "deny");
  span.add(formatAttributes(identityOf(denied, snapshot.tools.lineageOf(denied).key)));
}

/** One of the gateway's own tools; `use_tool` is traced as the tool it calls. */
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

/** Adds the outcome. A caller's mistake is not marked as an error of the span. */
export function describeReply(span: Span, reply: Reply, { aborted }: Pick<CancelSignal, "aborted">): void {
  if (aborted) span.add(OUTCOMES.cancelled);
  else if (reply.kind === "error") {
    const { code } = reply.error;
    span.isError = span.kind === "client" || code === CODES.internal || (code <= -32000 && code >= -32099);
    if (span.isError) span.set("error.type", String(code));
    span.set("rpc.response.status_code", String(code));
    span.add(OUTCOMES.error);
  } else {
    const outcome = outcomeOf(reply);
    if (outcome === "tool_error") span.isError = true;
    span.add(OUTCOMES[outcome]);
  }
}

const OUTCOMES = {
  result: formatAttributes({ "onym.outcome": "result" }),
  input_required: formatAttributes({ "onym.outcome": "input_required" }),
  tool_error: formatAttributes({ "onym.outcome": "tool_error", "error.type": "tool_error" }),
  error: formatAttributes({ "onym.outcome": "error" }),
  cancelled: formatAttributes({ "onym.outcome": "cancelled" }),
};
