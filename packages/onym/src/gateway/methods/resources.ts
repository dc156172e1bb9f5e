// Resources, templates, subscriptions and completions: URIs resolve to their server (GW-5).

import { escapeText } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply, resultReply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Steps } from "../../model/run-slices.js";
import type { Caller, Session } from "../caller.js";
import {
  aboutPrompt,
  aboutResource,
  decideUpdates,
  hiddenResource,
  type ItemRequest,
  lookUpResource,
  recordRefusedItem,
  runItem,
} from "../calls/guarded-item.js";
import { refuseDown } from "../calls/refuse-name.js";
import { resourceNotFound } from "../calls/refused-result.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import { RESOURCE_MEMBERS, repairMembers } from "../listing/repair-entry.js";
import { joinSteps } from "../listing/shared-texts.js";
import { callerFollowsEnough } from "../resources/followers.js";
import { MAX_URI_LENGTH } from "../resources/match-template.js";
import { MAX_SUBSCRIPTIONS } from "../resources/resource-subscriptions.js";
import { isLongAddress, normalizeAddress } from "../resources/uri-names.js";
import type { RoutedRequest } from "../router.js";
import { badCursor, readCursor, sendEntries } from "./list-reply.js";
import { findPrompt, notConnected } from "./prompts.js";

export function listResources(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  return listEntries(call, context, "resources", (snapshot, owner) =>
    snapshot.resourcesOf(owner).map((resource) => () => ({
      ...named(resource, "uri"),
      uri: snapshot.resources.publicUri(owner, String(resource["uri"])),
    })),
  );
}

export function listTemplates(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  return listEntries(call, context, "resourceTemplates", (snapshot, owner) =>
    snapshot.templatesOf(owner).map((template) => () => ({
      ...named(template, "uriTemplate"),
      uriTemplate: snapshot.resources.publicTemplate(owner, String(template["uriTemplate"])),
    })),
  );
}

/** Adds a missing name: clients reject a list with an unnamed resource. */
function named(entry: JsonObject, key: "uri" | "uriTemplate"): JsonObject {
  const { name } = entry;
  return {
    ...repairMembers(entry, RESOURCE_MEMBERS),
    name: typeof name === "string" ? name : String(entry[key]),
  };
}

async function listEntries(
  { params, caller, requestContext: { signal } }: RoutedRequest,
  context: GatewayContext,
  member: "resources" | "resourceTemplates",
  entriesOf: (snapshot: GatewaySnapshot, owner: Downstream) => readonly (() => JsonObject)[],
): Promise<Reply> {
  const read = readCursor(params);
  if ("refusal" in read) return read.refusal;
  // There is only one page.
  if (read.cursor !== undefined) return badCursor();
  await context.waitForServers();
  const { snapshot, texts } = context.latestView();
  await snapshot.confinement?.prepareItems();
  const steps = (): Steps<Buffer> =>
    joinSteps(
      snapshot.present.flatMap((owner) => entriesOf(snapshot, owner)),
      (build) => JSON.stringify(build()),
    );
  // Nothing but the snapshot decides: one that hides resources is made for the callers that see the rest.
  return sendEntries(() => texts.take([member, snapshot], steps, { callerKey: caller.callerKey, signal }), {
    member,
    caller,
    missing: snapshot.missing,
    serverInfo: context.serverInfo,
  });
}

/** resources/read, and subscribe and unsubscribe of older revisions. */
export async function handleResource(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  const { method, params, caller, requestContext } = call;
  const { uri } = params;
  if (typeof uri !== "string") return errorReply(CODES.invalidParams, `${method} needs a "uri".`);
  if (isLongAddress(uri)) return longAddress();
  const address = normalizeAddress(uri);
  if (method === "resources/unsubscribe") return unsubscribe({ uri, address }, call, context);
  const found = await findResource(uri, caller, context);
  if ("refusal" in found) return found.refusal;
  const { owner, uri: raw, snapshot } = found;
  if (method === "resources/subscribe" && isFull(caller.session, address))
    return errorReply(
      CODES.invalidParams,
      `This session follows ${MAX_SUBSCRIPTIONS} resources, as many as it may. Unsubscribe from one first.`,
      { max: MAX_SUBSCRIPTIONS },
    );
  if (method === "resources/subscribe" && !hasRoom(caller, address, context)) return callerFollowsEnough();
  const decideNow = () => decideUpdates({ owner, uri: raw }, caller, context.latestView());
  const before = method === "resources/subscribe" ? decideNow() : undefined;
  const follower =
    method === "resources/subscribe" && !caller.session?.resources.has(address) ? caller.session : undefined;
  const reply = await runItem(
    { ...aboutResource(owner, raw, snapshot), downstream: owner, sent: uri },
    call,
    context,
    (guarded, recheck) => {
      // Counts before the server answers, so that no other client that unsubscribes ends it there.
      follower?.resources.add(address);
      return forwardRequest(
        { downstream: owner, params: { ...params, uri: raw }, call: guarded, recheck },
        context.forward,
      );
    },
  );
  // A client that disconnected in the meantime gets no subscription.
  if (reply.kind !== "result" || requestContext.signal.aborted) stopFollowing(follower, address);
  if (reply.kind !== "result") return reply;
  if (method === "resources/subscribe" && !requestContext.signal.aborted) {
    caller.session?.resources.add(address);
    // Approved for this once; any other approval is found when there is an update.
    const now = before?.kind === "ask" ? decideNow() : undefined;
    if (now?.kind === "ask") caller.session?.approvedResources.set(address, now.mark);
  }
  // What is too large to be read keeps the server's own URIs.
  return method === "resources/read" && raw !== uri && isReadable(reply.result)
    ? { kind: "result", result: renameContents(reply.result, snapshot, owner) }
    : reply;
}

/** Tells the server if no other client follows the resource. A session ends only what is its own, so nobody is asked. */
async function unsubscribe(
  { uri, address }: { readonly uri: string; readonly address: string },
  call: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const { session } = call.caller;
  if (session?.resources.has(address) !== true) return resultReply({});
  stopFollowing(session, address);
  const found = await findResource(uri, call.caller, context);
  if ("refusal" in found) return found.refusal;
  const { owner, uri: raw, snapshot } = found;
  if (context.isSubscribed({ owner, uri: raw })) return resultReply({});
  return runItem(
    { ...aboutResource(owner, raw, snapshot), downstream: owner, sent: uri, isOwn: true },
    call,
    context,
    (guarded) =>
      forwardRequest(
        { downstream: owner, params: { uri: raw }, call: guarded, recheck: undefined },
        context.forward,
      ),
  );
}

/** Before it is looked up: sessions, records and approvals keep addresses whole (SAFE-5). */
function longAddress(): Reply {
  return errorReply(CODES.invalidParams, `"uri" has more than ${MAX_URI_LENGTH} characters.`, {
    max: MAX_URI_LENGTH,
  });
}

function stopFollowing(session: Session | undefined, address: string): void {
  session?.resources.delete(address);
  session?.approvedResources.delete(address);
}

function isFull(session: Session | undefined, address: string): boolean {
  return (
    session !== undefined && session.resources.size >= MAX_SUBSCRIPTIONS && !session.resources.has(address)
  );
}

function hasRoom({ session, callerKey }: Caller, address: string, context: GatewayContext): boolean {
  return session?.resources.has(address) === true || context.roomToFollow(callerKey) > 0;
}

/** The server of a URI; waits for servers that are starting, because they may have it too. */
async function findResource(uri: string, caller: Caller, context: GatewayContext) {
  await context.waitForServers();
  const { found, snapshot } = await lookUpResource(uri, caller, context);
  if (found.outcome === "resolved") return { owner: found.owner, uri: found.uri, snapshot };
  if (found.outcome === "ambiguous") {
    const { candidates } = found;
    const shown = escapeText(uri.slice(0, 300));
    return { refusal: errorReply(CODES.invalidParams, `Ambiguous resource: ${shown}`, { uri, candidates }) };
  }
  if (found.outcome === "absent") return { refusal: refuseDown(found.owner) };
  return { refusal: resourceNotFound(uri, caller) };
}

/** A resource requested under the gateway's URI is returned under it. */
function renameContents(result: JsonObject, snapshot: GatewaySnapshot, owner: Downstream): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  return {
    ...result,
    contents: contents.map((content: unknown) =>
      isJsonObject(content) && typeof content["uri"] === "string"
        ? { ...content, uri: snapshot.resources.publicUri(owner, content["uri"]) }
        : content,
    ),
  };
}

/** completion/complete: the reference names a prompt or a template. */
export async function completeArgument(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  const { params, caller } = call;
  const { ref } = params;
  const run = (request: ItemRequest, raw: JsonObject): Promise<Reply> =>
    runItem(request, call, context, (guarded, recheck) =>
      forwardRequest(
        { downstream: request.downstream, params: { ...params, ref: raw }, call: guarded, recheck },
        context.forward,
      ),
    );
  if (isJsonObject(ref) && ref["type"] === "ref/prompt" && typeof ref["name"] === "string") {
    const found = await findPrompt(ref["name"], caller, context);
    if ("refusal" in found) return found.refusal;
    const { tool, snapshot } = found;
    const downstream = snapshot.ownerOf(tool);
    if (downstream === undefined) return notConnected(tool);
    return run(
      { ...aboutPrompt(tool, snapshot, context), downstream, sent: ref["name"] },
      { ...ref, name: tool.raw },
    );
  }
  if (isJsonObject(ref) && ref["type"] === "ref/resource" && typeof ref["uri"] === "string") {
    const template = ref["uri"];
    if (isLongAddress(template)) return longAddress();
    await context.waitForServers();
    const { snapshot } = context.latestView();
    const found = snapshot.resources.resolveTemplate(template);
    if (found.outcome === "resolved")
      return run(
        { ...aboutResource(found.owner, found.uri, snapshot), downstream: found.owner, sent: template },
        { ...ref, uri: found.uri },
      );
    const denied = hiddenResource(snapshot, (whole) => whole.resources.resolveTemplate(template));
    recordRefusedItem({ sent: template, outcome: found.outcome, denied }, caller, context);
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
