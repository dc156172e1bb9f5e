// The view: everything that names, lists and routes, as one immutable value. Rebuilt and swapped as a whole.

import {
  buildSnapshot,
  type CatalogProblem,
  escapeText,
  type Lock,
  type NamingTable,
  type Profile,
  quoteText,
  type Snapshot,
  type SnapshotOptions,
  type Tool,
  type ToolSource,
  toolKeyOf,
} from "@onym/core";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { formatResourceKey } from "../resources/resource-key.js";
import { buildResourceTable, type ResourceTable } from "../resources/uri-names.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { keepOffer } from "./keep-offer.js";
import { isShared, type NameKeeper } from "./name-lock.js";
import type { Offer } from "./read-offer.js";
import {
  advertisedChoices,
  createSnapshotTables,
  type NamesChoice,
  type SnapshotTables,
} from "./snapshot-tables.js";

export type { NamesChoice } from "./snapshot-tables.js";

export interface GatewaySnapshot {
  readonly tools: Snapshot;
  /** Prompts, named by the same rules. */
  readonly prompts: Snapshot;
  readonly resources: ResourceTable<Downstream>;
  /** Those whose offers are in the view, in the order of the config. */
  readonly present: readonly Downstream[];
  /** Those that should be there and are not. */
  readonly missing: readonly Downstream[];
  readonly ownerOf: (tool: Tool) => Downstream | undefined;
  readonly offerOf: (downstream: Downstream) => Offer | undefined;
  /** What a downstream lists beside tools, as it lists it. */
  readonly promptsOf: (downstream: Downstream) => readonly JsonObject[];
  readonly resourcesOf: (downstream: Downstream) => readonly JsonObject[];
  readonly templatesOf: (downstream: Downstream) => readonly JsonObject[];
  /** The names of one caller that may be shown: they are on record, or go on record now. */
  readonly tableOf: (choice: NamesChoice) => NamingTable;
  readonly promptTableOf: (choice: NamesChoice) => NamingTable;
  /** What is left out or renamed, and of which servers a list is not whole (NAME-8). */
  readonly problems: readonly CatalogProblem[];
  readonly recording: Recording;
  /** Of a view without what a caller may not see (POL-9): what it was made from, for the record alone. */
  readonly confinement?: { readonly key: string; readonly whole: GatewaySnapshot };
}

/** How far the names of a view are on record, where other replicas share the lock. */
interface Recording {
  /** Makes the names of a caller in slices where there are many (SAFE-4). `undefined` where there is nothing to wait for. */
  readonly prepare: (choice: NamesChoice) => Promise<void> | undefined;
  /** The same of prompts, for who asks for prompts. */
  readonly preparePrompts: (choice: NamesChoice) => Promise<void> | undefined;
  /** What must be recorded before a caller is shown names. */
  readonly drafts: (choice: NamesChoice) => readonly NonNullable<ReturnType<SnapshotTables["draft"]>>[];
  /** Everything a caller may be shown is on record. */
  readonly isDone: (choice: NamesChoice) => boolean;
  readonly setDone: (choice: NamesChoice) => void;
  /** Something was made of this view while names were missing in it. */
  readonly isPartial: () => boolean;
  /** Tools that have no name to be shown by yet. */
  readonly unrecorded: (choice: NamesChoice) => readonly Tool[];
  /** Whether a public name of this tool is on record. */
  readonly knows: (choice: NamesChoice, name: string, tool: Tool) => boolean;
}

export interface GatewaySnapshotInput {
  readonly settings: GatewaySettings;
  /** In the order of the settings; those that were never asked for are absent. */
  readonly downstreams: readonly (Downstream | undefined)[];
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** YYYY-MM-DD. */
  readonly today: string;
  /** Names of the gateway's own tools. */
  readonly reserved: readonly string[];
  /** `known`: with servers that are down, and what they listed last or have on record. Only to tell whose a name is. */
  readonly scope?: "present" | "known";
}

/**
 * A downstream is in the view while it is up, and after a fall until its first try to come back has failed: lists should
 * neither flicker because a server was restarted nor with every later try.
 */
export function isPresent({ status, inventory, launch }: Downstream): boolean {
  if (launch.kind === "static") return true;
  if (inventory === undefined) return false;
  switch (status.kind) {
    case "ready":
      return true;
    case "starting":
      return status.attempt <= 1;
    case "failed":
      return status.attempt === 0;
    default:
      return false;
  }
}

export function buildGatewaySnapshot(input: GatewaySnapshotInput): GatewaySnapshot {
  const { settings, locks, scope = "present" } = input;
  const pairs = settings.servers.map((server, index) => ({ server, downstream: input.downstreams[index] }));
  const offers = new Map<Downstream, Offer>();
  const owners = new Map<string, Downstream>();
  const sources: ToolSource[] = [];
  const promptSources: ToolSource[] = [];
  const absent: ToolSource[] = [];
  const missing: Downstream[] = [];
  for (const { server, downstream } of pairs) {
    if (downstream === undefined || (scope === "present" && !isPresent(downstream))) {
      sources.push({ ...server.source, tools: [] });
      promptSources.push({ ...server.source, tools: [] });
      absent.push(server.source);
      if (downstream !== undefined) missing.push(downstream);
      continue;
    }
    const offer = keepOffer(downstream, server, settings.naming.references);
    offers.set(downstream, offer);
    owners.set(ownerKey(server.source), downstream);
    const isPast = downstream.inventory === undefined && downstream.launch.kind !== "static";
    const tools = isPast ? recordedTools(server, locks.tools.current()) : offer.tools;
    sources.push({ ...server.source, tools, serverVersion: versionOf(downstream, server) });
    promptSources.push({ ...server.source, tools: offer.prompts });
  }
  const options = snapshotOptions(input, absent);
  const tools = buildSnapshot(sources, {
    ...options,
    pins: settings.naming.pins,
    renames: settings.renames,
    strict: settings.strict,
    reserved: input.reserved,
    lock: locks.tools.current(),
  });
  const prompts = buildSnapshot(promptSources, { ...options, lock: locks.prompts.current() });
  /** Every call looks here; the tools of a catalog are known beforehand. */
  const ownerOfKey = new Map(
    tools.catalog.tools.flatMap((tool) => {
      const owner = owners.get(ownerKey(tool));
      return owner === undefined ? [] : [[tool.key, owner] as const];
    }),
  );
  const present = [...offers.keys()];
  const toolTables = createSnapshotTables(tools, locks.tools, advertisedChoices);
  const promptTables = createSnapshotTables(prompts, locks.prompts, (choice) => [choice]);
  return {
    tools,
    prompts,
    resources: buildResourceTable(
      present.map((owner) => ({
        key: formatResourceKey(owner.id),
        owner,
        resources: textsOf(owner.inventory?.resources, "uri"),
        templates: textsOf(owner.inventory?.templates, "uriTemplate"),
      })),
    ),
    present,
    missing,
    ownerOf: (tool) => ownerOfKey.get(tool.key) ?? owners.get(ownerKey(tool)),
    offerOf: (downstream) => offers.get(downstream),
    promptsOf: ({ inventory }) => inventory?.prompts ?? [],
    resourcesOf: ({ inventory }) => inventory?.resources ?? [],
    templatesOf: ({ inventory }) => inventory?.templates ?? [],
    tableOf: toolTables.tableOf,
    promptTableOf: promptTables.tableOf,
    problems: [...tools.problems, ...present.flatMap(listingProblems), ...missing.flatMap(unusable)],
    recording: createRecording(toolTables, promptTables, isShared(locks.tools) || isShared(locks.prompts)),
  };
}

/** What the lock remembers of a server that has listed nothing yet. */
function recordedTools({ source, admits }: ServerSettings, lock: Lock): readonly string[] {
  const { server, toolbox } = source;
  // A key is the JSON of its parts, the raw name last.
  const start = toolKeyOf({ server, toolbox, raw: "" }).slice(0, -`""]`.length);
  return [...lock.tools]
    .filter(([key, { successor }]) => key.startsWith(start) && successor === undefined)
    .map(([key]): unknown => JSON.parse(key.slice(start.length, -1)))
    .filter((raw) => typeof raw === "string")
    .filter(admits);
}

/** What a server's lists lack. The connection has told it in the log, where it happened. */
function listingProblems({ id, inventory }: Downstream): readonly CatalogProblem[] {
  return (inventory?.problems ?? []).map((problem) => ({
    code: "list-incomplete",
    severity: "warning",
    message: `${quoteText(id.server)}: ${escapeText(problem)}`,
    fix: "See the gateway's log.",
    tools: [],
    servers: [id.server],
  }));
}

/** A server that is never tried: its entry in the config lacks something. The connection has told it in the log. */
function unusable({ id, status }: Downstream): readonly CatalogProblem[] {
  if (status.kind !== "failed" || Number.isFinite(status.retryAt)) return [];
  return [
    {
      code: "server-unusable",
      severity: "error",
      message: `The server ${quoteText(id.server)} is down: ${escapeText(status.reason)}`,
      fix: escapeText(status.hint),
      tools: [],
      servers: [id.server],
    },
  ];
}

/** What it announced, of which windows of renames may be counted (LOCK-2); for a static catalog, the config's word. */
function versionOf({ launch, inventory }: Downstream, { source }: ServerSettings): string | undefined {
  if (launch.kind === "static") return source.serverVersion;
  const version = inventory?.serverInfo["version"];
  return typeof version === "string" ? version : undefined;
}

function createRecording(tools: SnapshotTables, prompts: SnapshotTables, isNeeded: boolean): Recording {
  const done = new Map<Profile, Set<string | undefined>>();
  return {
    prepare: tools.prepare,
    preparePrompts: prompts.prepare,
    drafts: (choice) => [tools.draft(choice), prompts.draft(choice)].filter((draft) => draft !== undefined),
    isDone: ({ profile, as }) => !isNeeded || done.get(profile)?.has(as) === true,
    setDone({ profile, as }) {
      done.set(profile, (done.get(profile) ?? new Set()).add(as));
    },
    isPartial: () => tools.isPartial() || prompts.isPartial(),
    unrecorded: tools.unrecorded,
    knows: (choice, name, tool) =>
      advertisedChoices(choice).some((each) => tools.tableOf(each).toolNamed(name)?.key === tool.key),
  };
}

function snapshotOptions(
  { settings, today }: GatewaySnapshotInput,
  absent: readonly ToolSource[],
): SnapshotOptions & { lock?: Lock } {
  const { style, as, aliases } = settings.naming;
  return {
    aliases,
    absent,
    today,
    ...(style === undefined ? {} : { style }),
    ...(as === undefined ? {} : { as }),
  };
}

/** Unequal for unequal owners, whatever is in their ids. */
export function ownerKey({
  server,
  toolbox,
}: {
  readonly server: string;
  readonly toolbox?: string | undefined;
}): string {
  return JSON.stringify([toolbox ?? null, server]);
}

function textsOf(entries: readonly JsonObject[] | undefined, key: string): readonly string[] {
  return (entries ?? []).map((entry) => String(entry[key]));
}
