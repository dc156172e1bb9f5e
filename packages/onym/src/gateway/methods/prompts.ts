// prompts/list and prompts/get: prompts are named and resolved like tools (GW-5).

import { escapeText, type NamingTable, quoteText, type Resolution, type Tool } from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import { isReadable } from "../../mcp/fast-path/parse-large.js";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { runFirstSteps, runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import { aboutPrompt, promptItem, recordRefusedItem, runItem } from "../calls/guarded-item.js";
import { unknownPrompt } from "../calls/refused-result.js";
import { isCertain, keepAbsent, refuseLongName } from "../calls/resolve-tool.js";
import { refuseUnreadable } from "../calls/sent-name.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { prepareIndex } from "../catalog/snapshot-tables.js";
import { forwardRequest } from "../forward/forward-request.js";
import type { GatewayContext } from "../gateway-context.js";
import { PROMPT_MEMBERS, repairMembers } from "../listing/repair-entry.js";
import { joinSteps } from "../listing/shared-texts.js";
import {
  createNameFinder,
  MentionBudget,
  type NameFinder,
  renderReferences,
  STEP_LENGTH,
} from "../references/find-references.js";
import type { RoutedRequest } from "../router.js";
import { describePrompt } from "../tracing/describe-request.js";
import { badCursor, readCursor, sendEntries } from "./list-reply.js";

export async function listPrompts(
  { params, caller, requestContext: { signal } }: RoutedRequest,
  context: GatewayContext,
): Promise<Reply> {
  const read = readCursor(params);
  if ("refusal" in read) return read.refusal;
  // There is only one page.
  if (read.cursor !== undefined) return badCursor();
  await context.waitForServers();
  const { snapshot, guard, texts } = await context.names.recordPromptNames(caller);
  await snapshot.confinement?.prepareItems();
  const [toolTable, promptTable] = [snapshot.tableOf(caller), snapshot.promptTableOf(caller)];
  const visibility = guard.visibility(snapshot, caller);
  return sendEntries(
    () =>
      texts.take(
        // The table of a view that hides prompts is made for each use, and is that of the whole snapshot without those prompts.
        ["prompts", snapshot, wholeOf(snapshot).promptTableOf(caller), toolTable, visibility?.key],
        () => promptSteps(snapshot, promptTable, createNameFinder(toolTable, visibility)),
        { callerKey: caller.callerKey, signal },
      ),
    { member: "prompts", caller, missing: snapshot.missing, serverInfo: context.serverInfo },
  );
}

function wholeOf(snapshot: GatewaySnapshot): GatewaySnapshot {
  return snapshot.confinement?.whole ?? snapshot;
}

function promptSteps(
  snapshot: GatewaySnapshot,
  { tools: prompts }: NamingTable,
  toolNames: NameFinder,
): Steps<Buffer> {
  const budgets = new Map<Downstream, MentionBudget>();
  return joinSteps(prompts, ({ name, tool }) => {
    const owner = snapshot.ownerOf(tool);
    const offer = owner === undefined ? undefined : snapshot.offerOf(owner);
    const prompt = offer?.promptJson.get(tool.raw);
    if (owner === undefined || offer === undefined || prompt === undefined) return undefined;
    const budget = budgets.get(owner) ?? new MentionBudget();
    budgets.set(owner, budget);
    const { _meta: meta, description, arguments: args, ...rest } = repairMembers(prompt, PROMPT_MEMBERS);
    const rename = (text: string): string =>
      renderReferences(offer.findReferences(text, undefined, budget), (raw) => toolNames(tool, raw));
    const origin = { source_server: tool.server, toolbox_name: tool.toolbox, original_name: tool.raw };
    return JSON.stringify({
      ...rest,
      name,
      ...(typeof description === "string" ? { description: rename(description) } : {}),
      ...(Array.isArray(args) ? { arguments: args.map((each) => renameArgument(each, rename)) } : {}),
      _meta: { ...(isJsonObject(meta) ? meta : {}), "onym/canonicalName": tool.canonical, ...origin },
    });
  });
}

export async function getPrompt(call: RoutedRequest, context: GatewayContext): Promise<Reply> {
  const { params, caller, requestContext } = call;
  const { name } = params;
  if (typeof name !== "string") return errorReply(CODES.invalidParams, 'prompts/get needs a "name".');
  const unreadable = refuseUnreadable(params["arguments"]);
  if (unreadable !== undefined) return unreadable;
  const found = await findPrompt(name, caller, context);
  if ("refusal" in found) return found.refusal;
  const { snapshot, guard, tool } = found;
  describePrompt(requestContext.span, tool, snapshot.promptTableOf(caller).nameOf(tool) ?? tool.canonical);
  const downstream = snapshot.ownerOf(tool);
  if (downstream === undefined) return notConnected(tool);
  // Take the names from the snapshot that resolved the prompt before any await: a later snapshot may differ.
  const offer = snapshot.offerOf(downstream);
  const toolNames = createNameFinder(snapshot.tableOf(caller), guard.visibility(snapshot, caller));
  const request = { ...aboutPrompt(tool, snapshot, context), downstream, sent: name };
  const reply = await runItem(request, call, context, (guarded, recheck) =>
    forwardRequest(
      { downstream, params: { ...params, name: tool.raw }, call: guarded, recheck },
      context.forward,
    ),
  );
  // What is too large to be read keeps the server's own names.
  if (reply.kind !== "result" || !isReadable(reply.result)) return reply;
  const rename = (text: string): string =>
    offer === undefined ? text : renderReferences(offer.findReferences(text), (raw) => toolNames(tool, raw));
  const renamed = runFirstSteps(renameSteps(reply.result, rename), 1, caller);
  return { kind: "result", result: "value" in renamed ? renamed.value : await renamed };
}

/** Finds a prompt. The resolver's messages speak of tools, so they are reworded for prompts here. */
export async function findPrompt(name: string, caller: Caller, context: GatewayContext) {
  const as = caller.as === undefined ? {} : { as: caller.as };
  const resolveNow = async () => {
    let { snapshot, known, guard } = await context.names.recordPromptNames(caller);
    if (snapshot.promptTableOf(caller).toolNamed(name) === undefined) {
      await prepareIndex(snapshot.prompts, caller);
      ({ snapshot, known, guard } = await context.names.recordPromptNames(caller));
    }
    const resolveIn = ({ prompts }: GatewaySnapshot): Resolution =>
      refuseLongName(name) ?? prompts.resolverFor(caller.profile, as)(name);
    const resolution = keepAbsent(resolveIn(snapshot), snapshot, () => resolveIn(known()));
    return { snapshot, guard, resolution };
  };
  let { snapshot, guard, resolution } = await resolveNow();
  if (!isCertain(resolution)) {
    await context.waitForServers();
    if (context.names.isShared) await context.names.reload();
    ({ snapshot, guard, resolution } = await resolveNow());
  }
  if (resolution.outcome === "resolved") return { snapshot, guard, tool: resolution.tool };
  recordRefusedItem(
    { sent: name, outcome: resolution.outcome, denied: hiddenPrompt(name, caller, snapshot) },
    caller,
    context,
  );
  if (resolution.outcome === "ambiguous") {
    const shown = escapeText(name.slice(0, 300));
    const candidates = promptNames(resolution.candidates, snapshot, caller);
    return { refusal: errorReply(CODES.invalidParams, `Ambiguous prompt: ${shown}`, { candidates }) };
  }
  const suggestions = await runInSlices(suggestSteps(resolution, snapshot.promptTableOf(caller)), caller);
  return { refusal: unknownPrompt(name, suggestions) };
}

/** One step, which shares its slice with those of other requests (SAFE-4). */
function* suggestSteps(resolution: Resolution, { toolNamed }: NamingTable): Steps<readonly string[]> {
  return resolution.outcome === "unknown"
    ? resolution.suggestions.filter((each) => toolNamed(each) !== undefined)
    : [];
}

/**
 * The prompt that a name means, even when it is hidden from the caller. The lookup always runs, so that
 * timing reveals nothing.
 */
function hiddenPrompt(name: string, { profile, as }: Caller, { confinement }: GatewaySnapshot) {
  if (confinement === undefined) return undefined;
  const { whole } = confinement;
  const found =
    refuseLongName(name) ?? whole.prompts.resolverFor(profile, as === undefined ? {} : { as })(name);
  if (found.outcome !== "resolved") return undefined;
  return { target: promptItem(found.tool, whole), owner: whole.ownerOf(found.tool) };
}

export function notConnected({ server, raw }: Tool): Reply {
  return errorReply(
    CODES.internal,
    `The server ${quoteText(server)} of the prompt ${quoteText(raw)} is not connected.`,
  );
}

function promptNames(prompts: readonly Tool[], snapshot: GatewaySnapshot, caller: Caller): readonly string[] {
  const table = snapshot.promptTableOf(caller);
  return prompts.map((prompt) => table.nameOf(prompt) ?? prompt.canonical);
}

function renameArgument(argument: unknown, rename: (text: string) => string): unknown {
  if (!isJsonObject(argument) || typeof argument["description"] !== "string") return argument;
  return { ...argument, description: rename(argument["description"]) };
}

/** Renames mentions of tools in the texts of a prompt, in steps: there may be many long ones (SAFE-4). */
function* renameSteps(result: JsonObject, rename: (text: string) => string): Steps<JsonObject> {
  const { messages } = result;
  if (!Array.isArray(messages)) return result;
  const renamed: unknown[] = [];
  let length = 0;
  for (const message of messages as readonly unknown[]) {
    const text = textOf(message);
    if (length >= STEP_LENGTH) {
      length = 0;
      yield;
    }
    length += text?.length ?? 0;
    renamed.push(text === undefined ? message : withText(message, rename(text)));
  }
  return { ...result, messages: renamed };
}

function textOf(message: unknown): string | undefined {
  const content = isJsonObject(message) ? message["content"] : undefined;
  if (!isJsonObject(content) || content["type"] !== "text") return undefined;
  return typeof content["text"] === "string" ? content["text"] : undefined;
}

function withText(message: unknown, text: string): unknown {
  if (!isJsonObject(message) || !isJsonObject(message["content"])) return message;
  return { ...message, content: { ...message["content"], text } };
}
