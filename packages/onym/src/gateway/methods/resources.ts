// Resources, templates, subscriptions and completions: addresses lead to the downstream that has them (GW-5).

import { escapeText } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { CODES } from "../../mcp/protocol.js";
import { errorReply, type Reply, resultReply } from "../../mcp/reply.js";
import type { Caller, Session } from "../caller.js";
import type { ToolCall } from "../calls/call-tool.js";
import type { Forward } from "../calls/guard.js";
import { resourceNotFound } from "../calls/refused-result.js";
import {
  aboutPrompt,
  aboutResource,
  hiddenResource,
  type ItemRequest,
  mayFollow,
  recordRefused,
  refuseResource,
  runItem,
} from "../calls/run-item.js";
import type { View } from "../catalog/gateway-snapshot.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { Desk } from "../gateway-context.js";
import { mendMembers, RESOURCE_MEMBERS } from "../listing/repair-entry.js";
import { MAX_FOLLOWED } from "../resource-subscriptions.js";
import { badCursor, formatList, readCursor } from "./list-reply.js";
import { findPrompt, notConnected } from "./prompts.js";

export function listResources(params: JsonObject | undefined, caller: Caller, desk: Desk): Promise<Reply> {
  return listEntries(params, caller, desk, "resources", (view, owner) =>
    view.resourcesOf(owner).map((resource) => ({
      ...named(resource, "uri"),
      uri: view.resources.publicUri(owner, String(resource["uri"])),
    })),
  );
}

export function listTemplates(params: JsonObject | undefined, caller: Caller, desk: Desk): Promise<Reply> {
  return listEntries(params, caller, desk, "resourceTemplates", (view, owner) =>
    view.templatesOf(owner).map((template) => ({
      ...named(template, "uriTemplate"),
      uriTemplate: view.resources.publicTemplate(owner, String(template["uriTemplate"])),
    })),
  );
}

/** Every resource has a name; clients refuse a list with one that has none. */
function named(entry: JsonObject, key: "uri" | "uriTemplate"): JsonObject {
  const { name } = entry;
  return {
    ...mendMembers(entry, RESOURCE_MEMBERS),
    name: typeof name === "string" ? name : String(entry[key]),
  };
}

async function listEntries(
  params: JsonObject | undefined,
  caller: Caller,
  desk: Desk,
  member: "resources" | "resourceTemplates",
  entriesOf: (view: View, owner: Downstream) => readonly JsonObject[],
): Promise<Reply> {
  const read = readCursor(params);
  if ("refusal" in read) return read.refusal;
  // There is one page.
  if (read.cursor !== undefined) return badCursor();
  await desk.settle();
  const { view } = desk.sight();
  return formatList({
    member,
    entries: view.present
      .flatMap((owner) => entriesOf(view, owner))
      .map((entry) => JSON.stringify(entry))
      .join(","),
    caller,
    missing: view.missing,
    serverInfo: desk.serverInfo,
  });
}

/** resources/read, and subscribe and unsubscribe of older revisions. */
export async function askResource(
  method: "resources/read" | "resources/subscribe" | "resources/unsubscribe",
  call: ToolCall,
  desk: Desk,
): Promise<Reply> {
  const { params, caller, exchange } = call;
  const { uri } = params;
  if (typeof uri !== "string") return errorReply(CODES.invalidParams, `${method} needs a "uri".`);
  const found = await findResource(uri, caller, desk);
  if ("refusal" in found) return found.refusal;
  const { owner, uri: raw, view } = found;
  if (method === "resources/unsubscribe" && desk.isFollowed({ owner, uri: raw }, caller.session)) {
    stopFollowing(caller.session, uri);
    return resultReply({});
  }
  if (method === "resources/subscribe" && isFull(caller.session, uri))
    return errorReply(
      CODES.invalidParams,
      `This session follows ${MAX_FOLLOWED} resources, as many as it may. Unsubscribe from one first.`,
      { max: MAX_FOLLOWED },
    );
  const forward: Forward = (to) =>
    forwardRequest(
      { downstream: owner, method, params: { ...params, uri: raw }, asSent: params, caller, exchange: to },
      desk.forward,
    );
  const isAllowed = method !== "resources/subscribe" || mayFollow({ owner, uri: raw }, caller, desk.sight());
  // Who ends what it follows asks for nothing.
  const reply =
    method === "resources/unsubscribe"
      ? await forward(exchange)
      : await runItem(
          { method, ...aboutResource(owner, raw, view), downstream: owner, sent: uri },
          call,
          desk,
          forward,
        );
  if (reply.kind !== "result") return reply;
  // Who left meanwhile follows nothing.
  if (method === "resources/subscribe" && !exchange.signal.aborted) {
    caller.session?.resources.add(uri);
    if (!isAllowed) caller.session?.approvedResources.add(uri);
  }
  if (method === "resources/unsubscribe") stopFollowing(caller.session, uri);
  return method === "resources/read" && raw !== uri
    ? { kind: "result", result: renameContents(reply.result, view, owner) }
    : reply;
}

function stopFollowing(session: Session | undefined, uri: string): void {
  session?.resources.delete(uri);
  session?.approvedResources.delete(uri);
}

function isFull(session: Session | undefined, uri: string): boolean {
  return session !== undefined && session.resources.size >= MAX_FOLLOWED && !session.resources.has(uri);
}

/** The downstream an address leads to; waits for those that are starting before it gives up. */
async function findResource(uri: string, caller: Caller, desk: Desk) {
  let { view } = desk.sight();
  let found = view.resources.resolve(uri);
  if (found.outcome !== "resolved") {
    await desk.settle();
    ({ view } = desk.sight());
    found = view.resources.resolve(uri);
  }
  if (found.outcome === "resolved") return { owner: found.owner, uri: found.uri, view };
  refuseResource(uri, { view, outcome: found.outcome }, caller, desk);
  if (found.outcome === "ambiguous") {
    const { candidates } = found;
    const shown = escapeText(uri.slice(0, 300));
    return { refusal: errorReply(CODES.invalidParams, `Ambiguous resource: ${shown}`, { uri, candidates }) };
  }
  return { refusal: resourceNotFound(uri, caller) };
}

/** What was asked for under the gateway's address is answered under it. */
function renameContents(result: JsonObject, view: View, owner: Downstream): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  return {
    ...result,
    contents: contents.map((content: unknown) =>
      isJsonObject(content) && typeof content["uri"] === "string"
        ? { ...content, uri: view.resources.publicUri(owner, content["uri"]) }
        : content,
    ),
  };
}

/** completion/complete: the reference names a prompt or a template. */
export async function completeArgument(call: ToolCall, desk: Desk): Promise<Reply> {
  const { params, caller } = call;
  const { ref } = params;
  const method = "completion/complete";
  const run = (request: Omit<ItemRequest, "method">, raw: JsonObject): Promise<Reply> =>
    runItem({ ...request, method }, call, desk, (exchange) =>
      forwardRequest(
        {
          downstream: request.downstream,
          method,
          params: { ...params, ref: raw },
          asSent: params,
          caller,
          exchange,
        },
        desk.forward,
      ),
    );
  if (isJsonObject(ref) && ref["type"] === "ref/prompt" && typeof ref["name"] === "string") {
    const found = await findPrompt(ref["name"], caller, desk);
    if ("refusal" in found) return found.refusal;
    const { tool, view } = found;
    const downstream = view.ownerOf(tool);
    if (downstream === undefined) return notConnected(tool);
    return run(
      { ...aboutPrompt(tool, view, desk), downstream, sent: ref["name"] },
      { ...ref, name: tool.raw },
    );
  }
  if (isJsonObject(ref) && ref["type"] === "ref/resource" && typeof ref["uri"] === "string") {
    await desk.settle();
    const template = ref["uri"];
    const { view } = desk.sight();
    const found = view.resources.resolveTemplate(template);
    if (found.outcome === "resolved")
      return run(
        { ...aboutResource(found.owner, found.uri, view), downstream: found.owner, sent: template },
        { ...ref, uri: found.uri },
      );
    const denied = hiddenResource(view, (whole) => whole.resources.resolveTemplate(template));
    recordRefused({ sent: template, outcome: found.outcome, denied }, caller, desk);
    return errorReply(
      CODES.invalidParams,
      `Unknown resource template: ${escapeText(template.slice(0, 300))}`,
    );
  }
  return errorReply(
    CODES.invalidParams,
    'completion/complete needs a "ref" to a prompt or a resource template.',
  );
}
