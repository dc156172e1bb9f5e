// How a server introduces itself, in either era: parses its first reply.

import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import { isModernRevision, type Reply, type RpcError } from "../../mcp/message.js";
import { CODES, LATEST_LEGACY_REVISION, META, MODERN_REVISION } from "../../mcp/protocol.js";
import type { Handshake } from "../connection.js";

export type ReadHandshake =
  | { readonly kind: "handshake"; readonly handshake: Handshake }
  /** The server does not speak this era. */
  | { readonly kind: "other-era" }
  | { readonly kind: "refused"; readonly reason: string };

export function buildInitialize(clientInfo: JsonObject): JsonObject {
  return { protocolVersion: LATEST_LEGACY_REVISION, capabilities: OWN_CAPABILITIES, clientInfo };
}

/** Reads the reply to `initialize`. */
export function readInitialized(reply: Reply): ReadHandshake {
  if (reply.kind !== "result")
    return reply.kind === "error" ? readRefusal(reply.error) : { kind: "other-era" };
  if (!isReadable(reply.result)) return { kind: "refused", reason: "answered initialize with too much" };
  const revision = reply.result["protocolVersion"];
  if (typeof revision !== "string")
    return { kind: "refused", reason: "answered initialize without a protocolVersion" };
  if (isModernRevision(revision)) return { kind: "other-era" };
  return {
    kind: "handshake",
    handshake: buildHandshake("legacy", revision, reply.result, reply.result["serverInfo"]),
  };
}

/** Reads the reply to `server/discover`. */
export function readDiscovered(reply: Reply): ReadHandshake {
  if (reply.kind !== "result") {
    const said = reply.kind === "error" ? `: ${reply.error.message}` : "";
    return { kind: "refused", reason: `refused server/discover${said}` };
  }
  const { result } = reply;
  if (!isReadable(result)) return { kind: "refused", reason: "answered server/discover with too much" };
  const versions = result["supportedVersions"];
  if (!Array.isArray(versions) || !versions.includes(MODERN_REVISION))
    return { kind: "refused", reason: `does not speak ${MODERN_REVISION}` };
  const meta = isJsonObject(result["_meta"]) ? result["_meta"] : {};
  return {
    kind: "handshake",
    handshake: buildHandshake("modern", MODERN_REVISION, result, ownValue(meta, META.serverInfo)),
  };
}

function readRefusal(error: RpcError): ReadHandshake {
  const otherEra =
    error.code === CODES.unsupportedRevision ||
    error.code === CODES.methodNotFound ||
    supportsModernEra(error.data);
  return otherEra
    ? { kind: "other-era" }
    : { kind: "refused", reason: `refused initialize: ${error.message}` };
}

/** The data of an unsupported version: `{ supported: [...] }`. Servers send it under other codes, too. */
function supportsModernEra(data: unknown): boolean {
  const supported = isJsonObject(data) ? ownValue(data, "supported") : undefined;
  return Array.isArray(supported) && supported.includes(MODERN_REVISION);
}

function buildHandshake(
  era: Handshake["era"],
  revision: string,
  result: JsonObject,
  serverInfo: unknown,
): Handshake {
  const { capabilities, instructions } = result;
  return {
    era,
    revision,
    capabilities: isJsonObject(capabilities) ? capabilities : {},
    serverInfo: isJsonObject(serverInfo) ? serverInfo : {},
    instructions: typeof instructions === "string" ? instructions : undefined,
  };
}

const OWN_CAPABILITIES: JsonObject = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};
