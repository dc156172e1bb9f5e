// A tool call as it arrived, and as it was resolved; and the notice on one that used a former name.

import { hash } from "node:crypto";
import type { Resolution, ResolveContext, Resolved, StructuredName, Tool } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { clientName } from "../observe/observation.js";
import type { RequestContext } from "../router.js";
import type { DeniedTool } from "./guard.js";

export interface ToolCall {
  readonly params: JsonObject;
  /** The raw JSON of `arguments`. */
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
}

/** A name as a client sent it. */
export interface SentName {
  readonly name: string | StructuredName;
  /** The origin of a raw name, as the sender states it; resolving it may need the snapshot. */
  readonly contextIn: (snapshot: GatewaySnapshot) => ResolveContext | undefined;
  readonly caller: Caller;
}

export type FoundTool =
  | {
      readonly kind: "found";
      readonly tool: Tool;
      readonly resolved: Resolved;
      /** The view that resolved the name. The call uses it too. */
      readonly view: View;
    }
  | RefusedName;

export interface RefusedName {
  readonly kind: "refused";
  readonly refusal: Reply;
  readonly resolution: Resolution;
  /**
   * The tool that the name means although it is hidden from the caller: only for the audit record (POL-7).
   */
  readonly denied?: DeniedTool | undefined;
  /** The view of the lookup. */
  readonly view: View;
}

/** A tool, with the view that resolved it and that the call uses. */
export type CallTarget = Pick<Extract<FoundTool, { readonly kind: "found" }>, "tool" | "view">;

/**
 * A raw name has at most 1,024 bytes; percent-encoded in canonical form it takes a little over three times as
 * much.
 */
const MAX_NAME_LENGTH = 4_096;
/** Longer names are recorded by their start, length and digest. */
const MAX_RECORDED_LENGTH = 512;
const RECORDED_START = 200;

/** The name in a call: a text, or its parts (BOX-6). */
export function readToolName(value: unknown): string | StructuredName | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const { toolbox, server, name } = value;
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  return typeof toolbox === "string" ? { toolbox, server, name } : { server, name };
}

/**
 * The origin of a raw name in a call. MCP Apps and other contexts state it in `_meta`, with the keys that
 * their tool was listed with or with the URI of their page.
 */
export function contextOf(params: JsonObject): (snapshot: GatewaySnapshot) => ResolveContext | undefined {
  const meta = params["_meta"];
  return isJsonObject(meta) ? (snapshot) => readContext(meta, snapshot) : () => undefined;
}

function readContext(meta: JsonObject, snapshot: GatewaySnapshot): ResolveContext | undefined {
  const { source_server: server, toolbox_name: toolbox } = meta;
  if (typeof server === "string") return typeof toolbox === "string" ? { server, toolbox } : { server };
  const page = isJsonObject(meta["ui"]) ? meta["ui"]["resourceUri"] : meta["ui/resourceUri"];
  if (typeof page !== "string") return typeof toolbox === "string" ? { toolbox } : undefined;
  const owner = snapshot.resources.resolve(page);
  if (owner.outcome !== "resolved") return undefined;
  const { id } = owner.owner;
  return id.toolbox === undefined ? { server: id.server } : { server: id.server, toolbox: id.toolbox };
}

/** The resolution of a name that is too long to look up; `undefined` for any other name. */
export function refuseLongName(name: string | StructuredName): Resolution | undefined {
  const length =
    typeof name === "string"
      ? name.length
      : (name.toolbox?.length ?? 0) + name.server.length + name.name.length;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return {
    outcome: "unknown",
    steps: [],
    warnings: [],
    suggestions: [],
    problem: {
      code: "too-long",
      severity: "error",
      message: `The name has ${length} characters; names have at most ${MAX_NAME_LENGTH}.`,
      fix: "Call a tool by a name from the list.",
    },
  };
}

export function recordedName(name: unknown): string {
  const text = typeof name === "string" ? name : (JSON.stringify(name) ?? "");
  if (text.length <= MAX_RECORDED_LENGTH) return text;
  const digest = hash("sha256", text).slice(0, 16);
  return `${text.slice(0, RECORDED_START)}… (${text.length} characters, sha256 ${digest})`;
}

// Calls by former names: counted, logged, and answered with a notice that names the successor (LOCK-2).

/** Adds the notice to the reply if the name is deprecated. An accepted former name is only counted. */
export function noteFormer(
  reply: Reply,
  found: FoundTool & { readonly kind: "found" },
  { params, caller, requestContext }: ToolCall,
  context: GatewayContext,
): Reply {
  const { tool, view, resolved } = found;
  if (resolved.successor === undefined) return reply;
  const { snapshot, guard } = view;
  const sent = recordedName(params["name"]);
  const lineage = snapshot.tools.lineageOf(tool);
  guard.countFormer({ caller, sent, tool, lineage });
  const { warnings } = resolved;
  if (warnings.length === 0) return reply;
  context.log("warn", "a former name was called", {
    name: sent,
    canonical: tool.canonical,
    toolKey: lineage.key,
    client: clientName(caller),
    ...requestContext.observed?.facts,
  });
  return withNotice(reply, { warnings, successor: snapshot.tableOf(caller).nameOf(tool) });
}

/** Counts a call by a retired name: its users still need the new one. */
export function countRefused(
  resolution: Resolution,
  { sent, caller }: { readonly sent: string; readonly caller: Caller },
  { snapshot, guard }: View,
): void {
  if (resolution.outcome !== "retired" || resolution.successor === undefined) return;
  const found = snapshot.tools.resolve(resolution.successor);
  if (found.outcome !== "resolved") return;
  guard.countFormer({ caller, sent, tool: found.tool, lineage: snapshot.tools.lineageOf(found.tool) });
}

function withNotice(reply: Reply, notice: JsonObject): Reply {
  if (reply.kind !== "result") return reply;
  const meta = isJsonObject(reply.result["_meta"]) ? reply.result["_meta"] : {};
  return { kind: "result", result: { ...reply.result, _meta: { ...meta, "onym/deprecated": notice } } };
}
