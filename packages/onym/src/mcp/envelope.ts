// The envelope that every modern request carries in `params._meta`: the client, and its revision.

import { isJsonObject, type JsonObject, ownValue } from "./json.js";
import { errorReply, type Reply } from "./message.js";
import { CODES, isLogLevel, META, MODERN_REVISION } from "./protocol.js";

/** Revisions are dates, and compare as text. */
export function isModernRevision(revision: string): boolean {
  return revision >= MODERN_REVISION;
}

interface EnvelopeProblem {
  readonly key: string;
  readonly problem: string;
}

export const SUPPORTED_MODERN: readonly string[] = [MODERN_REVISION];

export function metaOf(params: JsonObject | undefined): JsonObject | undefined {
  const meta = params?.["_meta"];
  return isJsonObject(meta) ? meta : undefined;
}

/** A request is modern if and only if its envelope names a revision. */
export function isEnveloped(params: JsonObject | undefined): boolean {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, META.protocolVersion);
}

export function revisionOf(params: JsonObject | undefined): string | undefined {
  const meta = metaOf(params);
  const revision = meta === undefined ? undefined : ownValue(meta, META.protocolVersion);
  return typeof revision === "string" ? revision : undefined;
}

/** The problems of an envelope, missing members first. */
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

/** A complete envelope of a modern revision: it makes even `initialize` a modern request. */
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
