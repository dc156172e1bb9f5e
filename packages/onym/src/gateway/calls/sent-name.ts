// The name of a call as it was sent: read, bounded before it is resolved, and cut for people and records (SAFE-4).

import { hash } from "node:crypto";
import type { Resolution, ResolveContext, StructuredName } from "@onym/core";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";

/** A raw name has at most 1,024 bytes; in its canonical form, percent-encoded, it takes three times as much and a little. */
const MAX_NAME_LENGTH = 4_096;
/** Longer ones are on record by their start, length and digest. */
const MAX_RECORDED_LENGTH = 512;
const RECORDED_START = 200;

/** The name of a call: a text, or its parts (BOX-6). */
export function readToolName(value: unknown): string | StructuredName | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const { toolbox, server, name } = value;
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  return typeof toolbox === "string" ? { toolbox, server, name } : { server, name };
}

/**
 * Whose raw name a call may hold: an MCP App, or any other context, says where it comes from in `_meta`, with the keys
 * that its tool was listed with or with the address of its page.
 */
export function contextOf(params: JsonObject, snapshot: GatewaySnapshot): ResolveContext | undefined {
  const meta = params["_meta"];
  if (!isJsonObject(meta)) return undefined;
  const { source_server: server, toolbox_name: toolbox } = meta;
  if (typeof server === "string") return typeof toolbox === "string" ? { server, toolbox } : { server };
  const page = isJsonObject(meta["ui"]) ? meta["ui"]["resourceUri"] : meta["ui/resourceUri"];
  if (typeof page !== "string") return typeof toolbox === "string" ? { toolbox } : undefined;
  const owner = snapshot.resources.resolve(page);
  if (owner.outcome !== "resolved") return undefined;
  const { id } = owner.owner;
  return id.toolbox === undefined ? { server: id.server } : { server: id.server, toolbox: id.toolbox };
}

/** What resolving a name comes to that is too long to be looked up; `undefined` for any other. */
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
