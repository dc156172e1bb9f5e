// Replies of the gateway's own tools. Failures are results too, so that the model can fix them (GW-6).

import { quoteText } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { type Reply, resultReply } from "../../mcp/message.js";
import type { Steps } from "../../model/run-slices.js";
import { completeReply } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import { formatShared, type SharedTexts, type TextKey } from "../listing/shared-texts.js";
import type { RoutedRequest } from "../router.js";
import { formatFailure } from "./format-meta-results.js";

export function ownReply(
  result: JsonObject,
  { method, caller }: RoutedRequest,
  context: GatewayContext,
): Reply {
  return caller.era === "modern" ? completeReply(method, result, context.serverInfo) : resultReply(result);
}

interface SharedResult {
  /** All that the result depends on, but for the frame of the caller's era. */
  readonly key: TextKey;
  readonly steps: () => Steps<JsonObject>;
  readonly texts: SharedTexts;
}

/** A large result that callers share: the same bytes for all. */
export async function sharedReply(
  { key, steps, texts }: SharedResult,
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const { caller, requestContext } = call;
  const format = function* (): Steps<Buffer> {
    const reply = ownReply(yield* steps(), call, context);
    yield;
    return Buffer.from(JSON.stringify(reply.kind === "result" ? reply.result : {}));
  };
  const whom = { callerKey: caller.callerKey, signal: requestContext.signal };
  return formatShared(await texts.take([...key, caller.era, context.serverInfo], format, whom));
}

export function unknownToolbox(toolbox: string, context: GatewayContext): JsonObject {
  const names = context.settings().toolboxes.map(({ id }) => id);
  return formatFailure({
    problem: "There is no such toolbox.",
    toolbox,
    hint: `There are: ${names.toSorted().join(", ")}.`,
  });
}

export function explainFailed(failed: readonly Downstream[]): string {
  const reasons = failed.map(
    (downstream) => `server ${quoteText(downstream.id.server)}: ${reasonOf(downstream)}`,
  );
  const why = reasons.length === 0 ? "it was closed meanwhile." : reasons.join("; ");
  return `The toolbox could not be opened: ${why}`;
}

/** A toolbox that failed to open is closed at once, so the status alone may not hold the reason. */
export function reasonOf({ status, down }: Downstream): string {
  return status.kind === "failed" ? status.reason : (down?.reason ?? `it is ${status.kind}`);
}
