// Approval keys: under which keys a decision about a tool is kept and found (ID-4). The only maker of such keys.

import { type HostedRequest, readHostedRequest } from "../identity/hosted-request.js";
import { isDeferredTopLevel } from "../identity/lookup-key.js";
import type { FunctionTool, NameParts, Namespace, PublicName } from "../identity/name-parts.js";
import { hasReservedNamespace, publicNameOf, readNameParts } from "../identity/name-parts.js";
import { readToolKey, type ToolKey } from "../identity/tool-key.js";

declare const approvalKey: unique symbol;

/** Layer 5: an encoded tuple; joined text is for display only. */
export type ApprovalKey = string & { readonly [approvalKey]: true };

type ApprovalTuple =
  | readonly ["bare", PublicName]
  | readonly ["namespaced", Namespace | PublicName, PublicName]
  | readonly ["deferred_top_level", PublicName]
  | readonly ["hosted_mcp", PublicName, PublicName]
  | readonly ["catalog", ToolKey];

export interface ApprovalKeys {
  readonly kind: ApprovalTuple[0];
  /** The tool itself; lasting decisions are kept here alone. */
  readonly canonical: ApprovalKey;
  /** Other keys under which a decision about a single call is kept too. */
  readonly aliases: readonly ApprovalKey[];
}

export interface ApprovalKeyOptions {
  /** Also the bare name. Ask `isBareAliasAllowed` first. */
  readonly allowBareAlias?: boolean;
  /** Also `name.name`, under which deferred tools were recorded before they had a key of their own. */
  readonly includeLegacyDeferred?: boolean;
}

/**
 * The keys of a call as the provider sent it. A request of the provider's own MCP connection has the server's label in
 * its key, so that it shares none with a function of that name. Where the tool is already resolved, use its own keys: a deferred tool
 * may be called by its bare name.
 *
 * @example
 * approvalKeysOfCall({ name: "lookup", namespace: "lookup" })?.canonical; // '["deferred_top_level","lookup"]'
 */
export function approvalKeysOfCall(
  call: unknown,
  options: ApprovalKeyOptions = {},
): ApprovalKeys | undefined {
  const request = readHostedRequest(call);
  if (request !== undefined) return keysOfRequest(request);
  const parts = readNameParts(call);
  if (parts === undefined) return undefined;
  if (hasReservedNamespace(parts)) return buildKeys(["deferred_top_level", parts.name], parts, options);
  if (parts.namespace === undefined) return buildKeys(["bare", parts.name], parts, options);
  return buildKeys(["namespaced", parts.namespace, parts.name], parts, options);
}

/**
 * The keys of a tool. None for a reserved namespace: they would be those of the deferred tool of that name (ID-2).
 *
 * @example
 * approvalKeysOfTool({ name: "lookup", deferred: true })?.canonical; // '["deferred_top_level","lookup"]'
 */
export function approvalKeysOfTool(
  tool: FunctionTool,
  options: ApprovalKeyOptions = {},
): ApprovalKeys | undefined {
  const parts = readNameParts(tool);
  if (parts === undefined || hasReservedNamespace(parts)) return undefined;
  if (isDeferredTopLevel(tool)) return buildKeys(["deferred_top_level", parts.name], parts, options);
  return approvalKeysOfCall(parts, options);
}

/**
 * The keys of a catalog tool hold its owner, and it has no aliases, so that a decision about a tool on one server
 * never reaches a tool of that name on another.
 *
 * @example
 * approvalKeysOfCatalogTool(toolKeyOf({ server: "docs", raw: "search" })).aliases; // []
 */
export function approvalKeysOfCatalogTool(key: ToolKey): ApprovalKeys {
  return { kind: "catalog", canonical: encodeApprovalKey(["catalog", key]), aliases: [] };
}

/** A key as JSON for a file; the tuple inside a catalog tool's key is written out, so that a person can read it. */
export function formatStoredKey(key: ApprovalKey): string {
  const [kind, tool = ""] = JSON.parse(key) as readonly string[];
  return kind === "catalog" ? `["catalog",${tool}]` : key;
}

/** The key that `formatStoredKey` wrote, once it is parsed as JSON; nothing where no key is written so. */
export function readStoredKey(json: unknown): ApprovalKey | undefined {
  if (!Array.isArray(json)) return undefined;
  const [kind, first, second]: readonly unknown[] = json;
  if (kind === "catalog" && json.length === 2) {
    const tool = readToolKey(first);
    return tool === undefined ? undefined : encodeApprovalKey(["catalog", tool]);
  }
  const [name, inner] = [publicNameOf(first), publicNameOf(second)];
  if (name === undefined) return undefined;
  if ((kind === "bare" || kind === "deferred_top_level") && json.length === 2)
    return encodeApprovalKey([kind, name]);
  if (json.length !== 3 || inner === undefined) return undefined;
  return kind === "namespaced" || kind === "hosted_mcp" ? encodeApprovalKey([kind, name, inner]) : undefined;
}

/** Without a server or a name nobody can tell what is asked. */
function keysOfRequest({ server, name }: HostedRequest): ApprovalKeys | undefined {
  if (server === undefined || name === undefined) return undefined;
  return { kind: "hosted_mcp", canonical: encodeApprovalKey(["hosted_mcp", server, name]), aliases: [] };
}

function buildKeys(canonical: ApprovalTuple, parts: NameParts, options: ApprovalKeyOptions): ApprovalKeys {
  const aliases: ApprovalKey[] = [];
  if (options.allowBareAlias === true && canonical[0] !== "bare") {
    aliases.push(encodeApprovalKey(["bare", parts.name]));
  }
  if (options.includeLegacyDeferred === true && canonical[0] === "deferred_top_level") {
    aliases.push(encodeApprovalKey(["namespaced", parts.name, parts.name]));
  }
  return { kind: canonical[0], canonical: encodeApprovalKey(canonical), aliases };
}

function encodeApprovalKey(tuple: ApprovalTuple): ApprovalKey {
  return JSON.stringify(tuple) as ApprovalKey;
}
