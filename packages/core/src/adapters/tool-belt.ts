// The tools of a snapshot as one provider sees them, and the resolution of its calls. Shared by all adapters.

import { definitionDigest } from "../approvals/definition-digest.js";
import type { CatalogProblem } from "../catalog/catalog-problem.js";
import type { ToolSource } from "../catalog/source.js";
import type { Tool } from "../catalog/tool.js";
import { callIdOf } from "../identity/layers/call-id.js";
import { shortDigest } from "../identity/short-digest.js";
import type { ToolKey } from "../identity/tool-key.js";
import { namesOnRecord } from "../naming/assign/names-on-record.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import type { Lock } from "../naming/lock/lock.js";
import { nextLock } from "../naming/lock/next-lock.js";
import { proposeName } from "../profiles/fit/propose-name.js";
import type { Profile } from "../profiles/profile.js";
import type { Resolution } from "../resolve/resolution.js";
import { buildSnapshot, type Snapshot } from "../snapshot/build-snapshot.js";
import type { CallOutcome, RefusalCode, RoutedCall } from "./call-outcome.js";
import { type DeferRule, deferredTools } from "./defer-tools.js";
import type { ToolReference } from "./history.js";
import { lockMoved, moveAside, movedProblem } from "./move-aside.js";
import { readArguments } from "./read-arguments.js";

export interface BeltOptions {
  readonly defer?: DeferRule;
  /** The tools that the model may see and call; all by default. Other tools look like unknown ones. */
  readonly visible?: (tool: Tool) => boolean;
  /** Names that are taken in the same request, such as handoffs. No tool gets one or is found by one. */
  readonly reserved?: readonly string[];
}

export interface BeltTool {
  readonly name: string;
  readonly tool: Tool;
  readonly deferred: boolean;
  readonly description: string;
  /** Always a JSON Schema object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A call as a provider wrote it. Every part is foreign data. */
export interface ProviderCall {
  readonly name: unknown;
  readonly namespace?: unknown;
  readonly callId: unknown;
  /** An object, or its JSON text. */
  readonly arguments: unknown;
}

/** What every adapter reports about its names. */
export interface HeldNames {
  /**
   * The lock after this adapter assigned its names. Save it (`formatLock`) and pass it to the next snapshot: then
   * no name moves to another tool, whatever options the next adapter has (LIB-4).
   */
  readonly lock: () => Lock;
  /** Everything that was left out or renamed: sources, tools and names (NAME-8). */
  readonly problems: readonly CatalogProblem[];
}

export interface ToolBelt extends HeldNames {
  readonly table: NamingTable;
  readonly tools: readonly BeltTool[];
  readonly call: (call: ProviderCall) => CallOutcome;
  /** The tool that a name in a conversation means. */
  readonly refer: (written: unknown) => ToolReference;
  /** A valid name for a tool in a conversation, even if the tool is gone. */
  readonly nameFor: (reference: ToolReference) => string;
}

/** A snapshot, or the sources to build one from. */
export type ToolInput = Snapshot | readonly ToolSource[];

/** The differences between providers. */
export interface BeltSettings extends BeltOptions {
  readonly profile: string | Profile;
  /** The provider may omit the id of a call (Gemini). */
  readonly callIdOptional?: boolean;
  /** The namespace under which a tool is declared; `undefined` for tools at the top level. */
  readonly namespaceOf?: (entry: BeltTool) => string | undefined;
}

export function buildToolBelt(input: ToolInput, settings: BeltSettings): ToolBelt {
  const snapshot = "catalog" in input ? input : buildSnapshot(input);
  // Uses the names of the whole lock, so that another option, which may select another profile, reassigns none of
  // them.
  const table = snapshot.namesFor(settings.profile, { scope: "lock" });
  const resolver = snapshot.resolverFor(table.profile, { scope: "lock" });
  const onRecord = namesOnRecord(snapshot.lock);
  const { visible = () => true } = settings;
  const reserved = new Set(settings.reserved ?? []);
  const moved = moveAside(table, reserved, onRecord);
  const shown = table.tools.filter(({ tool }) => visible(tool));
  const deferred = deferredTools(
    shown.map(({ tool }) => tool),
    settings.defer ?? "none",
  );
  const tools = shown.map(
    ({ name, tool }): BeltTool => ({
      name: moved.get(tool.key)?.name ?? name,
      tool,
      deferred: deferred.has(tool),
      description: tool.definition.description ?? tool.definition.title ?? "",
      inputSchema: schemaOf(tool),
    }),
  );
  const byKey = new Map(tools.map((entry) => [entry.tool.key, entry]));
  const movedKeys = new Map(Array.from(moved, ([key, { name }]) => [name, key]));
  const resolve = (text: string): { key?: ToolKey; resolution?: Resolution } => {
    if (reserved.has(text)) return {};
    const key = movedKeys.get(text);
    if (key !== undefined) return { key };
    const resolution = resolver(text);
    const found = resolution.outcome === "resolved" ? resolution.tool.key : undefined;
    // An assigned name belongs to its tool and is not a spelling of another. Declared renames and tombstones take
    // precedence.
    const owner = isSaid(text, resolution) ? undefined : onRecord.ownerOf(text);
    if (owner !== undefined && owner !== found) return { key: owner };
    if (found !== undefined) return { key: found, resolution };
    // Hidden tools look like unknown ones, so they must not cause ambiguity.
    const seen =
      resolution.outcome === "ambiguous" ? resolution.candidates.filter(({ key }) => byKey.has(key)) : [];
    return seen.length === 1 && seen[0] !== undefined ? { key: seen[0].key } : { resolution };
  };

  const isSaid = (text: string, resolution: Resolution): boolean =>
    resolution.outcome === "retired" ||
    table.indexOf(text) !== undefined ||
    (resolution.outcome === "resolved" && resolution.step === "alias");

  const call = (provider: ProviderCall): CallOutcome => {
    const callId = callIdOf({ call_id: provider.callId });
    const name = typeof provider.name === "string" ? provider.name : undefined;
    const refuse = (
      code: RefusalCode,
      message: string,
      suggestions: readonly string[] = [],
    ): CallOutcome => ({
      outcome: "refused",
      code,
      message,
      callId,
      name,
      suggestions,
    });
    if (callId === undefined && !(settings.callIdOptional === true && provider.callId === undefined)) {
      return refuse("no-call-id", "The tool call has no id. Call the tool again.");
    }
    if (name === undefined || name === "") return refuse("no-name", "The tool call names no tool.");

    const { key, resolution } = resolve(name);
    const entry = key === undefined ? undefined : byKey.get(key);
    if (entry === undefined) return refuseName(name, resolution, tools, refuse);
    const namespace = settings.namespaceOf?.(entry);
    if (!isItsNamespace(provider.namespace, namespace, { name, deferred: entry.deferred })) {
      const right = namespace === undefined ? "without a namespace" : `in the namespace ${namespace}`;
      return refuse(
        "wrong-namespace",
        `There is no ${name} in that namespace. Call ${entry.name} ${right}.`,
        [entry.name],
      );
    }
    const read = readArguments(provider.arguments);
    if (!read.ok)
      return refuse(
        "bad-arguments",
        `The arguments of ${name} ${read.reason} Call it again with a JSON object.`,
      );
    const routed: RoutedCall = {
      outcome: "call",
      tool: entry.tool,
      callId,
      arguments: read.value,
      name,
      warnings: resolution?.warnings ?? [],
    };
    return routed;
  };

  return {
    table,
    tools,
    problems: [...snapshot.problems, ...table.problems, ...Array.from(moved.values(), movedProblem)],
    lock() {
      const given = { ...table, nextLock: () => lockMoved(table.nextLock(), moved.values()) };
      const next = nextLock(snapshot.lock, snapshot.catalog, [given], definitionDigest);
      return { ...next, tools: snapshot.recordRenames(next.tools) };
    },
    call,
    refer(written) {
      const text = typeof written === "string" ? written : "";
      return { key: resolve(text).key, written: text };
    },
    nameFor: ({ key, written }) =>
      (key === undefined ? undefined : moved.get(key)?.name) ??
      nameOfKey(table, snapshot, key) ??
      nameOfGone(written, table),
  };
}

function nameOfKey(table: NamingTable, snapshot: Snapshot, key: ToolKey | undefined): string | undefined {
  const tool = key === undefined ? undefined : snapshot.catalog.toolWithKey(key);
  return tool === undefined ? undefined : table.nameOf(tool);
}

/** A tool that is gone keeps a name like its old one, but never one that another tool has now. */
function nameOfGone(written: string, table: NamingTable): string {
  const proposed = proposeName(written, table.profile, table.as) ?? "unknown_tool";
  if (!table.has(proposed)) return proposed;
  return proposeName(`gone_${shortDigest([written])}_${proposed}`, table.profile, table.as) ?? "unknown_tool";
}

/** A deferred top-level tool comes back in a namespace of its own name, which means nothing (ID-7). */
function isItsNamespace(
  sent: unknown,
  declared: string | undefined,
  called: { readonly name: string; readonly deferred: boolean },
): boolean {
  if (sent === undefined || sent === null || sent === "") return true;
  return sent === declared || (declared === undefined && called.deferred && sent === called.name);
}

function refuseName(
  name: string,
  resolution: Resolution | undefined,
  tools: readonly BeltTool[],
  refuse: (code: RefusalCode, message: string, suggestions?: readonly string[]) => CallOutcome,
): CallOutcome {
  const shown = new Map(tools.map((entry) => [entry.tool.key, entry.name]));
  const may = (names: readonly string[]): string =>
    names.length === 0 ? "" : ` You may use: ${names.slice(0, 10).join(", ")}.`;
  if (resolution?.outcome === "ambiguous") {
    const names = resolution.candidates.flatMap(({ key }) => shown.get(key) ?? []);
    if (names.length > 0)
      return refuse("ambiguous-tool", `${name} could be several tools.${may(names)}`, names);
  }
  if (resolution?.outcome === "retired") {
    const successor = tools.find(({ tool }) => tool.canonical === resolution.successor)?.name;
    const names = successor === undefined ? [] : [successor];
    return refuse("retired-tool", `${name} is no longer available.${may(names)}`, names);
  }
  const visible = new Set(shown.values());
  const near =
    resolution?.outcome === "unknown" ? resolution.suggestions.filter((each) => visible.has(each)) : [];
  const offered = near.length > 0 ? near : tools.slice(0, 10).map((entry) => entry.name);
  return refuse("unknown-tool", `There is no tool ${name}.${may(offered)}`, near);
}

/** Providers require an object schema even for tools without arguments. */
function schemaOf(tool: Tool): Readonly<Record<string, unknown>> {
  const schema = tool.definition.inputSchema;
  const isObject = typeof schema === "object" && schema !== null && !Array.isArray(schema);
  if (!isObject) return { type: "object", properties: {} };
  const given = schema as Readonly<Record<string, unknown>>;
  return given["type"] === "object" ? given : { ...given, type: "object" };
}
