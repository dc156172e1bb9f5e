// The envelope that every modern request carries in `params._meta`: who asks, and in which revision.

import { isJsonObject, type JsonObject, ownValue } from "../../../mcp/json.js";
import { CODES, isLogLevel, isModernRevision, META, MODERN_REVISION } from "../../../mcp/protocol.js";
import { errorReply, type Reply } from "../../../mcp/reply.js";

export interface EnvelopeProblem {
  readonly key: string;
  readonly problem: string;
}

export const SUPPORTED_MODERN: readonly string[] = [MODERN_REVISION];

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.["_meta"];
  return isJsonObject(meta) ? meta : undefined;
}

/** A request is modern if and only if it names its revision in the envelope. */
export function isEnveloped(params: JsonObject | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, META.protocolVersion);
}

export function revisionOf(params: JsonObject | undefined): string | undefined {
  const meta = metaOf(params);
  const revision = meta === undefined ? undefined : ownValue(meta, META.protocolVersion);
  return typeof revision === "string" ? revision : undefined;
}

/** What is wrong with an envelope: what is missing first. */
export function checkEnvelope(meta: JsonObject): readonly EnvelopeProblem[] {
  const problems: EnvelopeProblem[] = [];
  for (const key of [META.protocolVersion, META.clientCapabilities]) {
    if (!Object.hasOwn(meta, key)) problems.push({ key, problem: "missing" });
  }
  const expect = (key: string, wanted: string, fits: (value: unknown) => boolean) => {
    const value = ownValue(meta, key);
    if (value !== undefined && !fits(value)) problems.push({ key, problem: `must be ${wanted}` });
  };
  expect(META.protocolVersion, "a string", (value) => typeof value === "string");
  expect(META.clientCapabilities, "an object", isJsonObject);
  expect(META.clientInfo, "an object with name and version", isImplementation);
  expect(META.logLevel, "a log level", isLogLevel);
  return problems;
}

/** A whole envelope of a modern revision: it makes even `initialize` a modern request. */
export function isModernRequest(params: JsonObject | undefined): boolean {
  const revision = revisionOf(params);
  if (revision === undefined || !isModernRevision(revision)) return false;
  const meta = metaOf(params);
  return meta !== undefined && checkEnvelope(meta).length === 0;
}

export function explainEnvelope(problem: EnvelopeProblem): Reply {
  const message = `Invalid _meta envelope for protocol revision ${MODERN_REVISION}: ${problem.key}: ${problem.problem}`;
  return errorReply(CODES.invalidParams, message, { envelope: problem });
}

export function unsupportedRevision(requested: string | undefined): Reply {
  return errorReply(CODES.unsupportedRevision, "Unsupported protocol version", {
    supported: SUPPORTED_MODERN,
    requested: requested ?? "unknown",
  });
}

function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}
