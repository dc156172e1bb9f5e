// Which era a message is of (GW-1, GW-4): what the envelope of a modern request says in `params._meta`; and over HTTP, whether
// the headers agree with the body, which decides.

import { parseHeaderValue } from "./header-value.js";
import { isJsonObject, type JsonObject, ownValue } from "./json.js";
import {
  errorReply,
  type ReadMessage,
  type Reply,
  type RpcNotification,
  type RpcRequest,
} from "./message.js";
import { METHODS } from "./methods.js";
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

// Detects the era of a POSTed message. The body decides; the headers must agree with it (GW-1, GW-4).

export type Detected =
  | { readonly kind: "legacy" }
  | { readonly kind: "modern" }
  /** Answered with HTTP 400. */
  | { readonly kind: "refused"; readonly reply: Reply };

export type Headers = ReadonlyMap<string, string>;

const LEGACY: Detected = { kind: "legacy" };
const MODERN: Detected = { kind: "modern" };

export function detectEra(read: Exclude<ReadMessage, { kind: "invalid" }>, headers: Headers): Detected {
  switch (read.kind) {
    case "request":
      return detectRequest(read.message, headers);
    case "notification":
      return detectNotification(read.message, headers);
    case "response":
      return LEGACY;
  }
}

function detectRequest(request: RpcRequest, headers: Headers): Detected {
  const { method, params } = request;
  const version = headerOf(headers, "mcp-protocol-version");
  const namesModern = version !== undefined && isModernRevision(version);
  if (method === "initialize" && !isModernRequest(params)) {
    if (!namesModern) return LEGACY;
    return mismatch(
      version,
      "initialize opens a session of an older revision than the MCP-Protocol-Version header names",
    );
  }
  if (!isEnveloped(params)) return namesModern ? missingEnvelope(request, version) : LEGACY;

  const [problem] = checkEnvelope(metaOf(params) ?? {});
  if (problem !== undefined) return { kind: "refused", reply: explainEnvelope(problem) };
  const revision = revisionOf(params);
  if (version !== undefined && version !== revision) {
    return mismatch(version, `the body names protocol version ${revision}`);
  }
  const named = headerOf(headers, "mcp-method");
  if (named !== undefined && named !== method) return mismatch(named, `the body names method ${method}`);
  if (revision === undefined || !SUPPORTED_MODERN.includes(revision)) {
    return { kind: "refused", reply: unsupportedRevision(revision) };
  }
  if (version === undefined)
    return missing("MCP-Protocol-Version", `the body names protocol version ${revision}`);
  if (named === undefined) return missing("Mcp-Method", `the body names method ${method}`);
  return checkName(request, headers) ?? MODERN;
}

/** `Mcp-Name` repeats the name or URI of the body. */
function checkName({ method, params }: RpcRequest, headers: Headers): Detected | undefined {
  const field = METHODS.get(method)?.nameHeaderField;
  if (field === undefined) return undefined;
  const value = params?.[field];
  const named = headerOf(headers, "mcp-name");
  if (named === undefined) {
    return typeof value === "string" ? missing("Mcp-Name", `the body carries params.${field}`) : undefined;
  }
  const decoded = parseHeaderValue(named);
  if (decoded === undefined) return mismatch(named, "the Mcp-Name header is not valid Base64");
  return typeof value === "string" && decoded !== value
    ? mismatch(named, `the body carries another params.${field} than the Mcp-Name header`)
    : undefined;
}

function detectNotification({ method, params }: RpcNotification, headers: Headers): Detected {
  const version = headerOf(headers, "mcp-protocol-version");
  const enveloped = isEnveloped(params);
  const revision = enveloped ? revisionOf(params) : version;
  if (enveloped && revision === undefined) {
    return {
      kind: "refused",
      reply: explainEnvelope({ key: META.protocolVersion, problem: "must be a string" }),
    };
  }
  if (revision === undefined || !isModernRevision(revision)) return LEGACY;
  if (version !== undefined && version !== revision) {
    return mismatch(version, `the body names protocol version ${revision}`);
  }
  const named = headerOf(headers, "mcp-method");
  return named !== undefined && named !== method
    ? mismatch(named, `the body names method ${method}`)
    : MODERN;
}

function missingEnvelope({ params }: RpcRequest, version: string): Detected {
  const meta = metaOf(params);
  const keys = checkEnvelope(meta ?? {}).flatMap(({ key, problem }) => (problem === "missing" ? [key] : []));
  const absent = meta === undefined ? ["_meta"] : keys;
  const message = `Invalid params: the MCP-Protocol-Version header names ${version}, but the request lacks ${absent.join(", ")}`;
  return {
    kind: "refused",
    reply: errorReply(CODES.invalidParams, message, { envelope: { missing: absent } }),
  };
}

function missing(header: string, body: string): Detected {
  return mismatch("(missing)", `${body}, but the required ${header} header is absent`);
}

function mismatch(header: string, body: string): Detected {
  const message = `Bad Request: the request headers and body disagree: ${body}`;
  return {
    kind: "refused",
    reply: errorReply(CODES.headerMismatch, message, { mismatch: { header, body } }),
  };
}

/** Without the whitespace that HTTP allows around a value. */
function headerOf(headers: Headers, name: string): string | undefined {
  const value = headers.get(name);
  if (value === undefined) return undefined;
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value, start)) start++;
  while (end > start && isBlank(value, end - 1)) end--;
  return value.slice(start, end);
}

function isBlank(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 0x20 || unit === 0x09;
}
