// Reading a resource, fetching a prompt, and what belongs to them: decided and recorded as calls of tools are (POL-9).

import type { Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { Reply } from "../../mcp/reply.js";
import { launchFingerprint } from "../../model/launch.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { runGuarded } from "./call-tool.js";
import type { Forward } from "./guard.js";
import { type GuardedItem, promptItem, resourceItem } from "./guarded-item.js";
import { recordedName } from "./sent-name.js";
import type { ToolCall } from "./tool-call.js";

/** Requests that are about a prompt or resource. */
type ItemMethod = "prompts/get" | "resources/read" | "resources/subscribe" | "completion/complete";

export interface ItemRequest {
  readonly method: ItemMethod;
  readonly about: GuardedItem;
  /** The same as it is now, for when somebody had to think. */
  readonly aboutNow: () => GuardedItem;
  readonly downstream: Downstream;
  /** The name or address as it was sent. */
  readonly sent: string;
  /** There is no request that could wait for an answer. */
  readonly isUnasked?: boolean;
}

export function runItem(
  request: ItemRequest,
  call: ToolCall,
  context: GatewayContext,
  forward: Forward,
): Promise<Reply> {
  const { method, about, aboutNow, downstream, sent } = request;
  const { tool, item } = about;
  return runGuarded(
    {
      tool,
      item,
      method,
      // Completions come with every key that is pressed.
      isUnasked: method === "completion/complete" || request.isUnasked === true,
      lineage: { key: tool.key, former: [] },
      toolNow: () => aboutNow().tool,
      launch: launchFingerprint(downstream.launch),
      caller: call.caller,
      requestContext: call.requestContext,
      sent: recordedName(sent),
      params: call.params,
    },
    context.view().guard,
    forward,
  );
}

/** The prompt of a view as the guard takes it, and the way to find it again. */
export function aboutPrompt(
  prompt: Tool,
  snapshot: GatewaySnapshot,
  context: GatewayContext,
): Pick<ItemRequest, "about" | "aboutNow"> {
  return {
    about: promptItem(prompt, snapshot),
    aboutNow: () => {
      const now = context.view().snapshot;
      return promptItem(now.prompts.catalog.toolWithKey(prompt.key) ?? prompt, now);
    },
  };
}

export function aboutResource(
  owner: Downstream,
  uri: string,
  snapshot: GatewaySnapshot,
): Pick<ItemRequest, "about" | "aboutNow"> {
  const about = resourceItem(owner, uri, snapshot);
  return { about, aboutNow: () => about };
}

/** What a request that was refused as unknown meant, where it is only hidden: for the record alone (POL-7). */
export function recordRefused(
  {
    sent,
    outcome,
    denied,
  }: {
    readonly sent: string;
    readonly outcome: string;
    readonly denied: (GuardedItem & { readonly owner: Downstream | undefined }) | undefined;
  },
  caller: Caller,
  context: GatewayContext,
): void {
  const { guard } = context.view();
  guard.refuse({
    caller,
    sent: recordedName(sent),
    outcome,
    denied:
      denied === undefined
        ? undefined
        : { tool: denied.tool, item: denied.item, launch: denied.owner?.launch },
  });
}

/** Whether a caller may be told of changes of a resource, without anybody being asked. */
export function mayFollow(
  { owner, uri }: { readonly owner: Downstream; readonly uri: string },
  caller: Caller,
  { snapshot, guard }: Pick<View, "snapshot" | "guard">,
): boolean {
  const { tool, item } = resourceItem(owner, uri, snapshot);
  const lineage = { key: tool.key, former: [] };
  return guard.allows({ tool, item, lineage, caller, launch: launchFingerprint(owner.launch) });
}

/** Leaves a record of an address that leads nowhere for this caller. */
export function refuseResource(
  uri: string,
  { snapshot, outcome }: { readonly snapshot: GatewaySnapshot; readonly outcome: string },
  caller: Caller,
  context: GatewayContext,
): void {
  const denied = hiddenResource(snapshot, (whole) => whole.resources.resolve(uri));
  recordRefused({ sent: uri, outcome, denied }, caller, context);
}

/** The resource that an address means, though the caller must not hear of it. Looked for whether there is one or not. */
export function hiddenResource(
  { confinement }: GatewaySnapshot,
  resolve: (whole: GatewaySnapshot) => ReturnType<GatewaySnapshot["resources"]["resolve"]>,
) {
  if (confinement === undefined) return undefined;
  const { whole } = confinement;
  const found = resolve(whole);
  if (found.outcome !== "resolved") return undefined;
  return { ...resourceItem(found.owner, found.uri, whole), owner: found.owner };
}
