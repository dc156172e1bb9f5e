// Approval keys: the keys under which a decision about a tool is stored and found (ID-4). Only this file makes
// them.

import { type HostedRequest, readHostedRequest } from "../identity/layers/hosted-request.js";
import { isDeferredTopLevel, lookupKeyOfCall } from "../identity/layers/lookup-key.js";
import {
  type FunctionTool,
  hasReservedNamespace,
  type NameParts,
  type Namespace,
  type PublicName,
  publicNameOf,
  readNameParts,
} from "../identity/name-parts.js";
import { partsOfKey, readToolKey, type ToolKey } from "../identity/tool-key.js";
import type { ToolSet } from "../identity/tool-set/tool-set.js";
import { escapeText } from "../names/escape-text.js";

declare const approvalKey: unique symbol;

/** Layer 5: an encoded tuple. Joined text is for display only. */
export type ApprovalKey = string & { readonly [approvalKey]: true };

type ApprovalTuple =
  | readonly ["bare", PublicName]
  | readonly ["namespaced", Namespace | PublicName, PublicName]
  | readonly ["deferred_top_level", PublicName]
  | readonly ["hosted_mcp", PublicName, PublicName]
  | readonly ["catalog", ToolKey];

export interface ApprovalKeys {
  readonly kind: ApprovalTuple[0];
  /** The tool itself. Lasting decisions are stored only here. */
  readonly canonical: ApprovalKey;
  /** Additional keys for a decision about a single call. */
  readonly aliases: readonly ApprovalKey[];
}

export interface ApprovalKeyOptions {
  /** Also the bare name. Check `isBareAliasAllowed` first. */
  readonly allowBareAlias?: boolean;
  /** Also `name.name`, under which deferred tools were recorded before they had their own key. */
  readonly includeLegacyDeferred?: boolean;
}

/**
 * The keys of a call as the provider sent it. For a request of the provider's own MCP connection the key contains
 * the server's label, so that it never equals the key of a function of that name. If the tool is already resolved,
 * use its own keys: a deferred tool may be called by its bare name.
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
 * The keys of a tool. `undefined` for a reserved namespace: the keys would be those of the deferred tool of that
 * name (ID-2).
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
 * The keys of a catalog tool contain its owner and there are no aliases, so a decision about a tool on one server
 * never applies to a tool of that name on another.
 *
 * @example
 * approvalKeysOfCatalogTool(toolKeyOf({ server: "docs", raw: "search" })).aliases; // []
 */
export function approvalKeysOfCatalogTool(key: ToolKey): ApprovalKeys {
  return { kind: "catalog", canonical: encodeApprovalKey(["catalog", key]), aliases: [] };
}

/** A key as JSON for a file. The tuple inside a catalog tool's key is expanded, so that people can read it. */
export function formatStoredKey(key: ApprovalKey): string {
  const [kind, tool = ""] = JSON.parse(key) as readonly string[];
  return kind === "catalog" ? `["catalog",${tool}]` : key;
}

/** The key that `formatStoredKey` wrote, from parsed JSON; `undefined` if the value is not such a key. */
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

/** Without a server and a name it is unclear what is requested. */
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

// Approval keys for people to read. Different keys may give the same text, so never compare it.

/**
 * @example
 * formatApprovalKey(keys.canonical); // "deferred_top_level:lookup"
 */
export function formatApprovalKey(key: ApprovalKey): string {
  // Safe to parse: only one function makes keys, and never from foreign JSON.
  const [kind, ...parts] = JSON.parse(key) as readonly [string, ...string[]];
  if (kind === "deferred_top_level") return escapeText(`deferred_top_level:${parts.join("")}`);
  if (kind === "hosted_mcp") return escapeText(`hosted_mcp:${parts.join("/")}`);
  if (kind === "catalog") {
    const { toolbox, server, raw } = partsOfKey(parts.join("") as ToolKey);
    return escapeText([...(toolbox === undefined ? [] : [toolbox]), server, raw].join("/"));
  }
  return escapeText(parts.join("."));
}

/**
 * The bare name first, because people know the tool by it; then the canonical key and older spellings.
 *
 * @example
 * formatApprovalKeys(approvalKeysOfCall({ name: "lookup", namespace: "crm" })); // ["crm.lookup"]
 */
export function formatApprovalKeys(keys: ApprovalKeys | undefined): readonly string[] {
  if (keys === undefined) return [];
  const all = [keys.canonical, ...keys.aliases];
  return [...all.filter(isBare), ...all.filter((key) => !isBare(key))].map(formatApprovalKey);
}

function isBare(key: ApprovalKey): boolean {
  return key.startsWith('["bare",');
}

// When a decision about a deferred tool may also be found under its bare name (ID-4).

/**
 * Only for a deferred top-level tool, and only if no visible bare tool has that name: the alias would be that
 * tool's key.
 *
 * @example
 * isBareAliasAllowed({ name: "lookup", deferred: true }, buildToolSet([{ name: "lookup" }])); // false
 */
export function isBareAliasAllowed(tool: FunctionTool, visible: ToolSet): boolean {
  const parts = readNameParts(tool);
  if (parts === undefined || !isDeferredTopLevel(tool)) return false;
  const bareKey = lookupKeyOfCall({ name: parts.name });
  return bareKey !== undefined && !visible.byKey.has(bareKey);
}
