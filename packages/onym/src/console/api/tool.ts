// One tool: its identity layers, spellings, names everywhere and over time, definition, who may call it, and its calls.

import {
  formatToolboxName,
  type Resolution,
  sentName,
  type Tool,
  type ToolDefinition,
  type ToolKey,
  withoutToolbox,
} from "@onym/core";
import { definitionDigest, diffDefinitions, explainDefinitionDiff } from "@onym/core/approvals";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { type CallerDecision, decideForCallers } from "../../configured/decide-for-callers.js";
import { encodeUriText } from "../../model/encode-text.js";
import { MANY_TOOLS, runInSlices, type Steps } from "../../model/run-slices.js";
import { type Layer, layersOf } from "../../output/layers-of.js";
import type { StoredApproval } from "../../store/store.js";
import type { ConsoleContext, Viewer } from "../console-context.js";
import { type ShownCall, seesCall, showCall } from "./calls.js";
import { USUAL, whyFor } from "./names.js";
import { resolverFor } from "./resolve.js";

export interface ToolReport {
  readonly key: string;
  readonly canonical: string;
  readonly server: string;
  readonly toolbox?: string;
  readonly raw: string;
  readonly versions: { readonly integration: number; readonly tool: number; readonly server?: string };
  readonly layers: readonly Layer[];
  readonly names: readonly {
    readonly name: string;
    readonly why: string;
    readonly profiles: readonly string[];
  }[];
  /** Other texts that lead to it, and the step that finds it by them. */
  readonly spellings: readonly { readonly text: string; readonly step: string }[];
  readonly former: readonly string[];
  readonly history: readonly { readonly name: string; readonly profile: string; readonly state: string }[];
  readonly definition: ShownDefinition;
  readonly past: readonly PastDefinition[];
  readonly policy: readonly ShownDecision[];
  readonly calls: readonly ShownCall[];
}

/** `why` is the text of the rule, which may name other tools, other callers and what the operator noted: for operators. */
type ShownDecision = Omit<CallerDecision, "why"> & Partial<Pick<CallerDecision, "why">>;

/** Cut for the page; the digest is of all of it. */
export interface ShownDefinition {
  readonly digest: string;
  readonly title?: string;
  readonly description?: string;
  readonly schema: string;
  readonly annotations: string;
}

interface PastDefinition {
  readonly digest: string;
  readonly verdict: string;
  readonly by: string;
  readonly principal: string;
  readonly at: number;
  readonly changes: readonly string[];
}

const MAX_TEXT = 20_000;
const MAX_CALLS = 50;

export async function readTool(
  context: ConsoleContext,
  viewer: Viewer,
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ToolReport | undefined> {
  const { tools } = context.gateway.snapshot();
  const tool = tools.catalog.toolWithKey(key as ToolKey);
  if (tool === undefined || !(viewer.isOperator || context.gateway.sees(viewer)(tool))) return undefined;
  const lineage = tools.lineageOf(tool);
  const { toolbox } = tool;
  const owner = tools.catalog.servers.find(
    (server) => server.server === tool.server && server.toolbox === toolbox,
  );
  const keys = new Set<string>([tool.key, lineage.key, ...lineage.former.map((each) => each.key)]);
  const sees = seesCall(viewer);
  const calls = context.calls.recent().filter((report) => {
    const { key } = report.tool ?? (viewer.isOperator ? report.hidden : undefined) ?? {};
    return key !== undefined && keys.has(key) && sees(report);
  });
  const names = await runInSlices(nameSteps(context, viewer, tool), { signal });
  return {
    key: tool.key,
    canonical: tool.canonical,
    server: tool.server,
    ...(toolbox === undefined ? {} : { toolbox }),
    raw: tool.raw,
    versions: {
      integration: tool.integrationVersion,
      tool: tool.toolVersion,
      ...(owner?.serverVersion === undefined ? {} : { server: String(owner.serverVersion) }),
    },
    layers: layersOf(tool, (await runInSlices(tools.tableSteps("universal"), { signal })).nameOf(tool)),
    names,
    spellings: await spellingsOf(context, viewer, { tool, names, signal }),
    former: lineage.former.map((each) => String(each.canonical)),
    history: await runInSlices(historySteps(context, viewer, keys), { signal }),
    definition: showDefinition(tool.definition, definitionDigest(tool.definition)),
    past: viewer.isOperator
      ? await pastOf(context, tool, { keys: [tool.key, ...lineage.line.map(({ key }) => key)], signal })
      : [],
    policy: decisionsFor(viewer, decideForCallers(tool, context.config(), false)),
    calls: calls
      .slice(-MAX_CALLS)
      .reverse()
      .map((report) => showCall(context, report, viewer)),
  };
}

function decisionsFor(viewer: Viewer, decisions: readonly CallerDecision[]): readonly ShownDecision[] {
  if (viewer.isOperator) return decisions;
  return decisions
    .filter(({ caller }) => caller === viewer.principal)
    .map(({ caller, effect, rule }) => ({ caller, effect, rule }));
}

export function showDefinition(definition: ToolDefinition, digest: string): ShownDefinition {
  const { title, description, inputSchema, annotations } = definition;
  return {
    digest,
    ...(title === undefined ? {} : { title: String(title).slice(0, 500) }),
    ...(description === undefined ? {} : { description: String(description).slice(0, MAX_TEXT) }),
    schema: showJson(inputSchema),
    annotations: showJson(annotations),
  };
}

function showJson(value: unknown): string {
  const text = value === undefined ? "" : (JSON.stringify(value, undefined, 2) ?? "");
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}\n… and ${text.length - MAX_TEXT} characters more`;
}

/** Profiles that call it the same stand together. Of a large catalog only those that somebody uses. */
function* nameSteps({ gateway }: ConsoleContext, viewer: Viewer, tool: Tool): Steps<ToolReport["names"]> {
  const { tools } = gateway.snapshot();
  const isLarge = tools.catalog.tools.length >= MANY_TOOLS;
  const groups = new Map<string, { name: string; why: string; profiles: string[] }>();
  for (const { id } of tools.profiles) {
    if (isLarge && !USUAL.includes(id) && !tools.lock.profiles.has(id)) continue;
    const table = yield* tools.tableSteps(id);
    const named = table.tools.find((each) => each.tool === tool);
    const name = named?.name ?? "";
    const group = groups.get(name) ?? {
      name,
      why: named === undefined ? "has no name there" : whyFor(named.why, viewer),
      profiles: [],
    };
    groups.set(name, group);
    group.profiles.push(id);
  }
  return [...groups.values()].sort((a, b) => b.profiles.length - a.profiles.length);
}

const MAX_SPELLINGS = 100;

/** Forms that people, clients and models make of a tool, as far as they lead to it here. */
async function spellingsOf(
  context: ConsoleContext,
  viewer: Viewer,
  {
    tool,
    names,
    signal,
  }: { readonly tool: Tool; readonly names: ToolReport["names"]; readonly signal: AbortSignal },
): Promise<ToolReport["spellings"]> {
  const { tools } = context.gateway.snapshot();
  const { renames, naming } = context.config();
  const { canonical, server, toolbox, raw } = tool;
  const byId = new Map(tools.profiles.map((profile) => [profile.id, profile]));
  const universal = byId.get("universal");
  if (universal === undefined) return [];
  const resolve = await resolverFor(context, viewer, universal);
  const sent = names
    .filter(({ name }) => name !== "")
    .flatMap(({ name, profiles }) => [
      name,
      ...profiles.flatMap((id) => {
        const profile = byId.get(id);
        return profile === undefined ? [] : [sentName(name, profile, naming.as ?? DEFAULT_ALIAS)];
      }),
    ]);
  const texts = new Set([
    canonical,
    encodeUriText(canonical),
    ...(toolbox === undefined
      ? []
      : [withoutToolbox(canonical), formatToolboxName({ toolbox, server, originalTool: raw })]),
    ...sent,
    `${server}/${raw}`,
    `${server}.${raw}`,
    `mcp__${server}__${raw}`,
    raw,
    ...(viewer.isOperator ? renames.map(({ from }) => from) : []),
  ]);
  return runInSlices(spellingSteps(texts, resolve, tool), { signal });
}

function* spellingSteps(
  texts: Iterable<string>,
  resolve: (text: string) => Resolution,
  tool: Tool,
): Steps<ToolReport["spellings"]> {
  const spellings: { text: string; step: string }[] = [];
  for (const text of texts) {
    yield;
    const found = resolve(text);
    if (found.outcome !== "resolved" || found.tool.key !== tool.key) continue;
    spellings.push({ text, step: found.step });
    if (spellings.length === MAX_SPELLINGS) break;
  }
  return spellings;
}

const MAX_HISTORY = 200;
/** Before the alias in a key of the lock's profiles. */
const AS = "?as=";

/** What the lock has given out to it, and what is kept for it. Aliases that callers brought are for operators. */
function* historySteps(
  { gateway, config }: ConsoleContext,
  { isOperator }: Viewer,
  keys: ReadonlySet<string>,
): Steps<ToolReport["history"]> {
  const { tools } = gateway.snapshot();
  const { as: own } = config().naming;
  const found: { name: string; profile: string; state: string }[] = [];
  for (const [profile, { names }] of tools.lock.profiles) {
    yield;
    const at = profile.indexOf(AS);
    if (!isOperator && at >= 0 && profile.slice(at + AS.length) !== own) continue;
    for (const [name, { key }] of names)
      if (keys.has(key))
        found.push({
          name,
          profile,
          state: tools.catalog.toolWithKey(key) === undefined ? "kept" : "in force",
        });
  }
  return found.slice(0, MAX_HISTORY);
}

const MAX_PAST = 20;
/** Of the definitions that were decided about. */
const MAX_PAST_BYTES = 1_048_576;

/** Decisions about the tool, and about what it was or became through declared renames (LOCK-5). */
async function pastOf(
  { store }: ConsoleContext,
  tool: Tool,
  { keys, signal }: { readonly keys: readonly ToolKey[]; readonly signal: AbortSignal },
): Promise<readonly PastDefinition[]> {
  if (store === undefined) return [];
  const history: StoredApproval[] = [];
  for (const key of keys.slice(0, MAX_PAST)) {
    signal.throwIfAborted();
    const maxBytes = Math.floor(MAX_PAST_BYTES / keys.length);
    history.push(...(await store.approvals.history({ tool: key, limit: MAX_PAST, maxBytes })));
  }
  const newest = history.sort((a, b) => b.id - a.id).slice(0, MAX_PAST);
  return runInSlices(pastSteps(newest, tool), { signal });
}

function* pastSteps(history: readonly StoredApproval[], tool: Tool): Steps<readonly PastDefinition[]> {
  const past: PastDefinition[] = [];
  for (const { digest, verdict, decidedBy, principal, decidedAt, definition } of history) {
    const changes = explainDefinitionDiff(diffDefinitions(definition, tool.definition));
    past.push({ digest, verdict, by: decidedBy, principal, at: decidedAt, changes });
    yield;
  }
  return past;
}
