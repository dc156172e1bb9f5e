// A prompt or resource as the guard knows it: an identity of its own, apart from tools of the same name, that rules,
// approvals and records are about (POL-9).

import type { CanonicalName, Tool, ToolKey } from "@onym/core";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import type { PolicyItem } from "../../policy/build-policy.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { PROMPT_FIELDS, readDefinition } from "../catalog/read-definition.js";
import { ruleOwnerOf } from "../visibility/caller-access.js";

/** What a request is about, in the two forms that are decided and recorded. */
export interface GuardedItem {
  readonly item: PolicyItem;
  /** Its identity, in the shape that tools have. */
  readonly tool: Tool;
}

export function promptItem(prompt: Tool, snapshot: GatewaySnapshot): GuardedItem {
  const owner = snapshot.ownerOf(prompt);
  const listed = owner === undefined ? undefined : snapshot.offerOf(owner)?.promptJson.get(prompt.raw);
  return {
    item: { kind: "prompt", prompt },
    tool: {
      ...prompt,
      key: itemKey("prompt", prompt, prompt.raw),
      canonical: `prompt ${prompt.canonical}` as CanonicalName,
      definition: listed === undefined ? {} : readDefinition(listed, PROMPT_FIELDS),
    },
  };
}

/** `uri` is the address of a resource, or the text of a template, as its server knows it. */
export function resourceItem(
  { id }: Pick<Downstream, "id">,
  uri: string,
  snapshot: GatewaySnapshot,
): GuardedItem {
  const known = snapshot.tools.catalog.servers.find((server) => ownerKey(server) === ownerKey(id));
  const owner = ruleOwnerOf(id, known);
  const { version = 1, label = owner.integration } = known ?? {};
  const box = id.toolbox === undefined ? "" : `${id.toolbox}:`;
  return {
    item: { kind: "resource", owner, uri },
    tool: {
      key: itemKey("resource", id, uri),
      server: id.server,
      toolbox: id.toolbox,
      raw: uri,
      // No tool has such a name: there is no space in an integration.
      canonical: `resource ${box}${owner.integration}@${version}/${uri}` as CanonicalName,
      integration: owner.integration,
      integrationVersion: version,
      toolName: uri,
      toolVersion: 1,
      label,
      // What is behind an address changes without a word: its approval is bound to the address alone.
      definition: {},
    },
  };
}

/** What a key of a prompt or resource encodes; `undefined` for the key of a tool. */
export function readItemKey(
  key: string,
): (DownstreamId & { readonly kind: PolicyItem["kind"]; readonly text: string }) | undefined {
  if (!key.startsWith('["prompt",') && !key.startsWith('["resource",')) return undefined;
  const [kind, toolbox = "", server = "", text = ""] = JSON.parse(key) as readonly string[];
  return {
    kind: kind === "prompt" ? "prompt" : "resource",
    toolbox: toolbox === "" ? undefined : toolbox,
    server,
    text,
  };
}

/** Unequal to the key of every tool: those begin with `namespaced` or `toolbox`. */
function itemKey(kind: PolicyItem["kind"], { server, toolbox }: Owned, text: string): ToolKey {
  return JSON.stringify([kind, toolbox ?? "", server, text]) as ToolKey;
}

type Owned = Pick<DownstreamId, "server"> & { readonly toolbox?: string | undefined };
