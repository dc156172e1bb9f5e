// From the name in a call to this caller's tool, or to a refusal with suggestions (GW-6).

import {
  buildSnapshot,
  type CatalogServer,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type StructuredName,
  type Tool,
  type ToolKey,
  type ToolSource,
} from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import { MANY_TOOLS, runInSlices, type Steps } from "../../model/run-slices.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import { prepareIndex } from "../catalog/snapshot-tables.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { isLongAddress } from "../resources/uri-names.js";
import type { RoutedRequest } from "../router.js";
import { hideClosed, isClosedTo } from "../toolboxes/closed-toolbox.js";
import { resolveFor } from "../visibility/caller-visibility.js";
import { explainAbsent, explainRefused, refuseUnrecorded } from "./refuse-name.js";
import type { DeniedTool, FoundTool, RefusedName, SentName, ToolInView } from "./sent-name.js";

/**
 * A raw name has at most 1,024 bytes; percent-encoded in canonical form it takes a little over three times as
 * much.
 */
const MAX_NAME_LENGTH = 4_096;

/** The name in a call: a text, or its parts (BOX-6). */
export function readToolName(value: unknown): string | StructuredName | undefined {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return undefined;
  const { toolbox, server, name } = value;
  if (typeof server !== "string" || typeof name !== "string") return undefined;
  return typeof toolbox === "string" ? { toolbox, server, name } : { server, name };
}

/**
 * The origin of a raw name in a call. MCP Apps and other contexts state it in `_meta`, with the keys that
 * their tool was listed with or with the URI of their page.
 */
export function resolveContextOf(
  params: JsonObject,
): (snapshot: GatewaySnapshot) => ResolveContext | undefined {
  const meta = params["_meta"];
  return isJsonObject(meta) ? (snapshot) => readContext(meta, snapshot) : () => undefined;
}

function readContext(meta: JsonObject, snapshot: GatewaySnapshot): ResolveContext | undefined {
  const { source_server: server, toolbox_name: toolbox } = meta;
  if (typeof server === "string") return typeof toolbox === "string" ? { server, toolbox } : { server };
  if (pageOf(meta) === undefined) return typeof toolbox === "string" ? { toolbox } : undefined;
  return readOrigin(meta, snapshot);
}

function pageOf(meta: JsonObject): string | undefined {
  const page = isJsonObject(meta["ui"]) ? meta["ui"]["resourceUri"] : meta["ui/resourceUri"];
  return typeof page === "string" ? page : undefined;
}

/** By `_meta`: a call looks its page up once in each snapshot. */
const origins = new WeakMap<JsonObject, WeakMap<GatewaySnapshot, ResolveContext>>();

/**
 * Looks the page of a call up in slices, before `resolveContextOf` needs it: an address may be compared with many templates
 * (SAFE-4). `undefined` if there is nothing to wait for, as for nearly every call.
 */
export function prepareOrigin(
  params: JsonObject,
  caller: Caller,
  snapshot: GatewaySnapshot,
): Promise<unknown> | undefined {
  const meta = params["_meta"];
  if (!isJsonObject(meta) || pageOf(meta) === undefined || origins.get(meta)?.has(snapshot)) return undefined;
  return runInSlices(originSteps(meta, snapshot), caller);
}

// biome-ignore lint/correctness/useYield: one step
function* originSteps(meta: JsonObject, snapshot: GatewaySnapshot): Steps<ResolveContext> {
  return readOrigin(meta, snapshot);
}

function readOrigin(meta: JsonObject, snapshot: GatewaySnapshot): ResolveContext {
  const known = origins.get(meta) ?? new WeakMap<GatewaySnapshot, ResolveContext>();
  const origin = known.get(snapshot) ?? findOrigin(pageOf(meta) ?? "", snapshot);
  origins.set(meta, known.set(snapshot, origin));
  return origin;
}

function findOrigin(page: string, { resources }: GatewaySnapshot): ResolveContext {
  const owner = isLongAddress(page) ? NOBODY : resources.resolveOrigin(page);
  if (!("owner" in owner)) return NOBODY;
  const { id } = owner.owner;
  return id.toolbox === undefined ? { server: id.server } : { server: id.server, toolbox: id.toolbox };
}

/** A page that is too long, or whose server is gone, hidden or not certain: it must not lead to another server's tool. No server has this id. */
const NOBODY: ResolveContext = { server: "" };

/** The resolution of a name that is too long to look up; `undefined` for any other name. */
export function refuseLongName(name: string | StructuredName): Resolution | undefined {
  const length =
    typeof name === "string"
      ? name.length
      : (name.toolbox?.length ?? 0) + name.server.length + name.name.length;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return {
    outcome: "unknown",
    steps: [],
    warnings: [],
    suggestions: [],
    problem: {
      code: "too-long",
      severity: "error",
      message: `The name has ${length} characters; names have at most ${MAX_NAME_LENGTH}.`,
      fix: "Call a tool by a name from the list.",
    },
  };
}

/** The result of a lookup in one view. */
interface LookedUp {
  readonly view: View;
  readonly resolution: Resolution;
  readonly denied: DeniedTool | undefined;
}

/** Nearly every name is a public or canonical one in the view in force, and needs no promise. */
export function resolveTool(sent: SentName, context: GatewayContext): FoundTool | Promise<FoundTool> {
  const view = context.names.recordNames(sent.caller);
  if (view instanceof Promise || lacksIndex(sent, view)) return resolvePatiently(sent, context);
  const found = resolveIn(view, sent, context);
  return isCertain(found.resolution) ? conclude(found, sent, context) : resolvePatiently(sent, context);
}

/** Waits for names to be recorded, servers to start and other replicas. */
async function resolvePatiently(sent: SentName, context: GatewayContext): Promise<FoundTool> {
  let found = await lookUp(sent, context);
  if (!isCertain(found.resolution)) {
    await context.waitForServers(); // a server that is still starting may have it, or have it too
    found = await lookUp(sent, context);
  }
  if (context.names.isShared && !isCertain(found.resolution)) {
    await context.names.reload(); // another replica may have published it
    found = await lookUp(sent, context);
  }
  if (!isCertain(found.resolution)) found = await lookUpAbsent(found, sent, context);
  return conclude(found, sent, context);
}

function conclude(found: LookedUp, sent: SentName, context: GatewayContext): FoundTool | Promise<FoundTool> {
  const { resolution, view } = found;
  // Suggestions take long, and hundreds of calls may arrive at once (SAFE-4).
  if (resolution.outcome !== "resolved") return runInSlices(refuseSteps(sent, found, context), sent.caller);
  return isOnRecord(sent, resolution, view)
    ? { kind: "found", tool: resolution.tool, resolved: resolution, view }
    : { kind: "refused", refusal: refuseUnrecorded(sent.name), resolution, view };
}

/** Looks a name up in the view in force, after that view's names are recorded. */
async function lookUp(sent: SentName, context: GatewayContext): Promise<LookedUp> {
  let view = await context.names.recordNames(sent.caller);
  if (lacksIndex(sent, view)) {
    await prepareIndex(view.snapshot.tools, sent.caller);
    await view.guard.visibility(view.snapshot, sent.caller)?.prepareSuggestions(sent.caller.callerKey);
    view = await context.names.recordNames(sent.caller);
  }
  return resolveIn(view, sent, context);
}

/** What a text means with the tools of servers that are down or in closed toolboxes. */
async function lookUpAbsent(found: LookedUp, sent: SentName, context: GatewayContext): Promise<LookedUp> {
  const { resolution, view } = found;
  if (resolution.outcome !== "resolved" || !view.snapshot.hasAbsent) return found;
  const known = view.known();
  await prepareIndex(known.tools, sent.caller);
  const among = () => resolveIn({ ...view, snapshot: known }, sent, context).resolution;
  return runInSlices(keepAbsentSteps(found, among), sent.caller);
}

// biome-ignore lint/correctness/useYield: one step, in which the page of the call may be looked up.
function* keepAbsentSteps(found: LookedUp, resolveKnown: () => Resolution): Steps<LookedUp> {
  return { ...found, resolution: keepAbsent(found.resolution, found.view.snapshot, resolveKnown) };
}

/**
 * Servers that are down or in closed toolboxes keep what is theirs: a text that means one of theirs, alone or too, is no
 * other's.
 */
export function keepAbsent(
  found: Resolution,
  { hasAbsent }: GatewaySnapshot,
  resolveKnown: () => Resolution,
): Resolution {
  if (found.outcome !== "resolved" || isCertain(found) || !hasAbsent) return found;
  const known = resolveKnown();
  if (known.outcome !== "resolved") return known;
  return known.tool.key === found.tool.key ? found : UNKNOWN;
}

const UNKNOWN: Resolution = { outcome: "unknown", steps: [], warnings: [], suggestions: [] };

/**
 * Public names are in the caller's table. Other names need an index, which is built in slices for large
 * catalogs, and on the spot for others.
 */
function lacksIndex({ name, caller }: SentName, { snapshot, guard }: View): boolean {
  if (snapshot.tools.catalog.tools.length < MANY_TOOLS) return false;
  const tool = typeof name === "string" ? snapshot.tableOf(caller).toolNamed(name) : undefined;
  const visibility = guard.visibility(snapshot, caller);
  if (tool !== undefined && visibility?.sees(tool) !== false) return false;
  return (
    prepareIndex(snapshot.tools, caller) !== undefined ||
    visibility?.prepareSuggestions(caller.callerKey) !== undefined
  );
}

function resolveIn(view: View, { name, contextIn, caller }: SentName, context: GatewayContext): LookedUp {
  const tooLong = refuseLongName(name);
  if (tooLong !== undefined) return { view, resolution: tooLong, denied: undefined };
  const { snapshot, guard } = view;
  const { resolution, denied: tool } = resolveFor(caller, { snapshot, guard }, name, contextIn(snapshot));
  const denied = tool === undefined ? undefined : { tool, launch: snapshot.ownerOf(tool)?.launch };
  const isInToolbox = resolution.outcome === "resolved" && resolution.tool.toolbox !== undefined;
  return { view, resolution: isInToolbox ? hideClosed(resolution, caller, context) : resolution, denied };
}

// biome-ignore lint/correctness/useYield: one step, which shares its slice with those of other calls.
function* refuseSteps(sent: SentName, found: LookedUp, context: GatewayContext): Steps<FoundTool> {
  const { view, denied } = found;
  const resolution = withRecordedSuggestions(found.resolution, sent.caller, view);
  // Runs for hidden and unknown names alike, so that timing does not tell them apart (GW-6).
  const absent = refuseLongName(sent.name) === undefined ? explainAbsent(sent, view, context) : undefined;
  const down = denied === undefined ? absent : undefined;
  const refusal = down ?? explainRefused(sent, resolution, view, context);
  return { kind: "refused", refusal, resolution, denied, view };
}

/** When the store rejects names, unrecorded names are not suggested. */
function withRecordedSuggestions(resolution: Resolution, caller: Caller, { snapshot }: View): Resolution {
  if (resolution.outcome !== "unknown" || snapshot.recording.isDone(caller)) return resolution;
  const shown = snapshot.tableOf(caller);
  const suggestions = resolution.suggestions.filter((each) => shown.toolNamed(each) !== undefined);
  return { ...resolution, suggestions };
}

/**
 * A recorded name keeps its owner, and a canonical name states its owner. Another replica may just have
 * published any other text as a name.
 */
export function isCertain(resolution: Resolution): boolean {
  return (
    resolution.outcome === "resolved" && (resolution.step === "public" || resolution.step === "canonical")
  );
}

/** A name resolves only after it is recorded: until then another replica may give it to another tool. */
function isOnRecord({ name, caller }: SentName, { step, tool }: Resolved, { snapshot }: View): boolean {
  const { recording } = snapshot;
  return (
    step !== "public" ||
    typeof name !== "string" ||
    recording.isDone(caller) ||
    recording.knows(caller, name, tool)
  );
}

/**
 * Treats an unknown name as a tool of the passthrough server; it is decided and recorded like any call. Names
 * of tools that are denied, closed, down or filtered out are known, so they are not passed through.
 */
export async function findPassthrough(
  { resolution, view }: RefusedName,
  { params, caller }: RoutedRequest,
  context: GatewayContext,
): Promise<ToolInView | undefined> {
  const { name } = params;
  if (resolution.outcome !== "unknown" || typeof name !== "string") return undefined;
  const { passthrough, servers, strict } = context.settings();
  if (passthrough === undefined) return undefined;
  const { server, toolbox } = passthrough;
  if (toolbox !== undefined && isClosedTo(caller, toolbox, context)) return undefined;
  const isMeant = (one: { readonly server: string; readonly toolbox?: string | undefined }): boolean =>
    one.server === server && one.toolbox === toolbox;
  const meant = servers.find(({ source }) => isMeant(source));
  if (meant?.admits(name) !== true) return undefined;
  const key = toolKeyOf({ server, toolbox, raw: name });
  const sent = { name, key, caller, contextIn: resolveContextOf(params) };
  const { snapshot } = view;
  await prepareOrigin(params, caller, view.known());
  const known = snapshot.tools.catalog.servers.find(isMeant);
  if (known === undefined || [snapshot, view.known()].some((each) => isKnownIn(each, sent))) return undefined;
  const tool = readUnlisted({ ...meant.source, tools: [name] }, known, strict);
  return tool === undefined ? undefined : { tool, view };
}

/**
 * The tool as it would be if its server listed the name: rules must mean it by the same canonical name (CANON-6).
 * `undefined` if the list would leave it out.
 */
function readUnlisted(
  source: ToolSource,
  { integration, version, label }: CatalogServer,
  strict: boolean,
): Tool | undefined {
  const { catalog } = buildSnapshot([{ ...source, integration, version, alias: label }], { strict });
  return catalog.tools[0];
}

/**
 * Whether a name means anything here, with the context of the call or without it. The caller states the context, so
 * a made-up one must not make a listed tool unknown: rules would then decide about a tool without its definition.
 */
function isKnownIn(
  snapshot: GatewaySnapshot,
  { name, key, caller, contextIn }: SentName & { readonly name: string; readonly key: ToolKey },
): boolean {
  const { profile, as } = caller;
  const resolve = snapshot.tools.resolverFor(profile, as === undefined ? {} : { as });
  return (
    snapshot.tools.catalog.toolWithKey(key) !== undefined ||
    [undefined, contextIn(snapshot)].some((from) => resolve(name, from).outcome !== "unknown")
  );
}
