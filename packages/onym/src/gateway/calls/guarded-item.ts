// A prompt or resource as the guard sees it. It has its own identity, distinct from tools of the same name;
// rules, approvals and records refer to it (POL-9).

import type { Tool, ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import type { Reply } from "../../mcp/message.js";
import { METHODS } from "../../mcp/methods.js";
import { launchFingerprint } from "../../model/launch.js";
import { runInSlices } from "../../model/run-slices.js";
import type { PolicyItem } from "../../policy/compile-rule.js";
import type { Caller } from "../caller.js";
import { type GatewaySnapshot, ownerKey } from "../catalog/gateway-snapshot.js";
import { PROMPT_FIELDS, readDefinition } from "../catalog/read-offer.js";
import type { GatewayContext, OwnedResource, View } from "../gateway-context.js";
import type { RoutedRequest } from "../router.js";
import { ruleOwnerOf } from "../visibility/caller-visibility.js";
import { recordedName } from "./call-audit.js";
import { runDecided, runGuarded } from "./call-tool.js";
import type { Forward, GuardedCall, GuardedItem, GuardedTarget, OngoingDecision } from "./guard.js";

export function promptItem(prompt: Tool, snapshot: GatewaySnapshot): GuardedItem<"prompt"> {
  const owner = snapshot.ownerOf(prompt);
  const listed = owner === undefined ? undefined : snapshot.offerOf(owner)?.promptJson.get(prompt.raw);
  return {
    kind: "prompt",
    prompt,
    identity: {
      key: itemKey("prompt", prompt, prompt.raw),
      server: prompt.server,
      toolbox: prompt.toolbox,
      canonical: `prompt ${prompt.canonical}`,
      definition: listed === undefined ? {} : readDefinition(listed, PROMPT_FIELDS),
    },
  };
}

/** `uri` is the URI of a resource, or of a URI template, as its server knows it. */
function resourceItem(
  { id }: Pick<Downstream, "id">,
  uri: string,
  snapshot: GatewaySnapshot,
): GuardedItem<"resource"> {
  const known = snapshot.tools.catalog.servers.find((server) => ownerKey(server) === ownerKey(id));
  const owner = ruleOwnerOf(id, known);
  const { version = 1 } = known ?? {};
  const box = id.toolbox === undefined ? "" : `${id.toolbox}:`;
  return {
    kind: "resource",
    owner,
    uri,
    identity: {
      key: itemKey("resource", id, uri),
      server: id.server,
      toolbox: id.toolbox,
      // Cannot collide with a tool: an integration contains no space.
      canonical: `resource ${box}${owner.integration}@${version}/${uri}`,
      // A resource's content changes without notice, so its approval is bound to the URI alone.
      definition: {},
    },
  };
}

/** Decodes the key of a prompt or resource; `undefined` for the key of a tool. */
export function readItemKey(
  key: string,
): (DownstreamId & { readonly kind: PolicyItem["kind"]; readonly text: string }) | undefined {
  if (!key.startsWith('["prompt",') && !key.startsWith('["resource",')) return undefined;
  const tuple = readTexts(key);
  if (tuple === undefined) return undefined;
  const [kind, toolbox = "", server = "", text = ""] = tuple;
  return {
    kind: kind === "prompt" ? "prompt" : "resource",
    toolbox: toolbox === "" ? undefined : toolbox,
    server,
    text,
  };
}

/** The store may have been edited, so the key can be any text. */
function readTexts(json: string): readonly string[] | undefined {
  try {
    const tuple: unknown = JSON.parse(json);
    return Array.isArray(tuple) && tuple.every((part) => typeof part === "string") ? tuple : undefined;
  } catch {
    return undefined;
  }
}

/** Differs from every tool key: those begin with `namespaced` or `toolbox`. */
function itemKey(kind: PolicyItem["kind"], { server, toolbox }: Owned, text: string): ToolKey {
  return JSON.stringify([kind, toolbox ?? "", server, text]) as ToolKey;
}

/** The key that a target would have if its server had another id. */
export function keyUnderId(target: GuardedTarget, server: string): ToolKey {
  const owner = { server, toolbox: target.identity.toolbox };
  switch (target.kind) {
    case "tool":
      return toolKeyOf({ ...owner, raw: target.identity.raw });
    case "prompt":
      return itemKey("prompt", owner, target.prompt.raw);
    case "resource":
      return itemKey("resource", owner, target.uri);
  }
}

/** How the keys of all tools, prompts and resources in a toolbox start. */
export function keyStartsIn(toolbox: string): readonly string[] {
  return ["toolbox", "prompt", "resource"].map((kind) => `${JSON.stringify([kind, toolbox]).slice(0, -1)},`);
}

type Owned = Pick<DownstreamId, "server"> & { readonly toolbox?: string | undefined };

interface ItemTarget<Kind = PolicyItem["kind"]> {
  readonly target: GuardedItem<Kind>;
  /** The item as it is now, for use after an approval; `undefined`: its server no longer offers it. */
  readonly targetNow: () => GuardedItem<Kind> | undefined;
}

export interface ItemRequest extends ItemTarget {
  readonly downstream: Downstream;
  /** The name or URI as the client sent it. */
  readonly sent: string;
  /** No request could wait for an answer. */
  readonly isUnasked?: boolean;
  /** It only ends what the caller itself began: allowed, whatever is decided about the item by now. */
  readonly isOwn?: boolean;
}

const OWN = { kind: "allow", rule: "own subscription" } as const;

export function runItem(
  request: ItemRequest,
  call: RoutedRequest,
  context: GatewayContext,
  forward: Forward,
): Promise<Reply> {
  const { target, targetNow, downstream, sent } = request;
  const { method } = call;
  call.requestContext.observed?.about(recordedName(sent));
  const guarded: GuardedCall = {
    target,
    method,
    isUnasked: METHODS.get(method)?.isUnasked === true || request.isUnasked === true,
    targetNow,
    launch: downstream.fingerprint,
    epoch: call.epoch,
    caller: call.caller,
    requestContext: call.requestContext,
    sent: recordedName(sent),
    params: call.params,
  };
  const { guard } = context.latestView();
  return request.isOwn === true
    ? runDecided(guarded, OWN, guard, forward)
    : runGuarded(guarded, guard, forward);
}

/** The prompt of a view in the guard's form, with a way to look it up again. */
export function aboutPrompt(
  prompt: Tool,
  snapshot: GatewaySnapshot,
  context: GatewayContext,
): ItemTarget<"prompt"> {
  const target = promptItem(prompt, snapshot);
  return {
    target,
    targetNow: () => {
      const now = context.latestView().snapshot;
      const listed = now.prompts.catalog.toolWithKey(prompt.key);
      if (listed !== undefined) return promptItem(listed, now);
      // A server that is down answers for itself.
      const owner = snapshot.ownerOf(prompt);
      return owner !== undefined && now.present.includes(owner) ? undefined : target;
    },
  };
}

export function aboutResource(
  owner: Downstream,
  uri: string,
  snapshot: GatewaySnapshot,
): ItemTarget<"resource"> {
  const target = resourceItem(owner, uri, snapshot);
  return { target, targetNow: () => target };
}

/** Records which hidden item a request meant that was refused as unknown (POL-7). */
export function recordRefusedItem(
  {
    sent,
    outcome,
    denied,
  }: {
    readonly sent: string;
    readonly outcome: string;
    readonly denied: { readonly target: GuardedItem; readonly owner: Downstream | undefined } | undefined;
  },
  caller: Caller,
  context: GatewayContext,
): Promise<void> | undefined {
  const { guard } = context.latestView();
  return guard.refuse({
    caller,
    sent: recordedName(sent),
    outcome,
    denied: denied && { target: denied.target, launch: denied.owner?.launch },
  });
}

/** Whether a caller may get updates of a resource without an approval request. */
export function mayFollow(resource: OwnedResource, caller: Caller, view: GuardedView): boolean {
  return decideUpdates(resource, caller, view).kind === "allow";
}

type GuardedView = Pick<View, "snapshot" | "guard">;

export function decideUpdates(
  { owner, uri }: OwnedResource,
  caller: Caller,
  { snapshot, guard }: GuardedView,
): OngoingDecision {
  const target = resourceItem(owner, uri, snapshot);
  return guard.reconsider({ target, caller, launch: launchFingerprint(owner.launch) });
}

/**
 * Looks a URI up, and records one that resolves to nothing. In slices: a long address is compared with many
 * templates (SAFE-4).
 */
export function lookUpResource(uri: string, caller: Caller, context: GatewayContext) {
  return runInSlices(lookUpSteps(uri, caller, context), caller);
}

// biome-ignore lint/correctness/useYield: one step
function* lookUpSteps(uri: string, caller: Caller, context: GatewayContext) {
  const { snapshot } = context.latestView();
  const found = snapshot.resources.resolve(uri);
  const recorded =
    found.outcome === "resolved"
      ? undefined
      : refuseResource(uri, { snapshot, outcome: found.outcome }, caller, context);
  return { found, snapshot, recorded };
}

/** Records a URI that resolves to nothing for this caller. Resolves when that is done, or has failed. */
function refuseResource(
  uri: string,
  { snapshot, outcome }: { readonly snapshot: GatewaySnapshot; readonly outcome: string },
  caller: Caller,
  context: GatewayContext,
): Promise<void> | undefined {
  const denied = hiddenResource(snapshot, (whole) => whole.resources.resolve(uri));
  return recordRefusedItem({ sent: uri, outcome, denied }, caller, context);
}

/**
 * The resource that a URI means, even when it is hidden from the caller. The lookup always runs, so that
 * timing reveals nothing.
 */
export function hiddenResource(
  { confinement }: GatewaySnapshot,
  resolve: (whole: GatewaySnapshot) => ReturnType<GatewaySnapshot["resources"]["resolve"]>,
) {
  if (confinement === undefined) return undefined;
  const { whole } = confinement;
  const found = resolve(whole);
  if (found.outcome !== "resolved") return undefined;
  return { target: resourceItem(found.owner, found.uri, whole), owner: found.owner };
}
