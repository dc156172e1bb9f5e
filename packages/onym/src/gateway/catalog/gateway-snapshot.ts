// The snapshot: everything that names, lists and routes, as one immutable value. Rebuilt and swapped as a
// whole.

import {
  type CatalogProblem,
  escapeText,
  type Lock,
  type NamingTable,
  type Profile,
  quoteText,
  type Snapshot,
  type SnapshotOptions,
  snapshotSteps,
  type Tool,
  type ToolKey,
  type ToolSource,
} from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import type { Downstream } from "../../downstream/downstream.js";
import type { JsonObject } from "../../mcp/json.js";
import { runAtOnce, type Steps } from "../../model/run-slices.js";
import { buildResourceTable, formatResourceKey, type ResourceTable } from "../resources/uri-names.js";
import type { GatewaySettings, ServerSettings } from "../settings.js";
import { META_TOOLS } from "../toolboxes/meta-tool-names.js";
import type { NameKeeper } from "./name-lock.js";
import { keepOffer, mentionProblems, type Offer } from "./read-offer.js";
import { isListed, isPresent, type ServerState } from "./server-state.js";

import {
  advertisedChoices,
  createSnapshotTables,
  type NamesChoice,
  type RecordingWatch,
  type SnapshotTables,
} from "./snapshot-tables.js";

export type { NamesChoice } from "./snapshot-tables.js";

export interface GatewaySnapshot {
  readonly tools: Snapshot;
  /** Prompts, named by the same rules. */
  readonly prompts: Snapshot;
  readonly resources: ResourceTable<Downstream>;
  /** The pages that tools name, with the tools. A caller that sees none of them sees the page only if its server lists it. */
  readonly pages: readonly NamedPage[];
  /** Servers whose offers are in the view, in the order of the config. */
  readonly present: readonly Downstream[];
  /** Servers that should be present and are not. */
  readonly missing: readonly Downstream[];
  /** Servers are missing, or in closed toolboxes with names on record: the `known` view has their tools, too. */
  readonly hasAbsent: boolean;
  readonly ownerOf: (tool: Tool) => Downstream | undefined;
  readonly offerOf: (downstream: Downstream) => Offer | undefined;
  /** What a server lists beside tools, unchanged. */
  readonly promptsOf: (downstream: Downstream) => readonly JsonObject[];
  readonly resourcesOf: (downstream: Downstream) => readonly JsonObject[];
  readonly templatesOf: (downstream: Downstream) => readonly JsonObject[];
  /** The names of one caller. Show them only after `RecordedNames.recordNames` has recorded them. */
  readonly tableOf: (choice: NamesChoice) => NamingTable;
  readonly promptTableOf: (choice: NamesChoice) => NamingTable;
  /** What is left out or renamed, and which servers' lists are incomplete (NAME-8). */
  readonly problems: readonly CatalogProblem[];
  /** Those of them about texts of tools, which nobody has logged. */
  readonly textProblems: readonly CatalogProblem[];
  readonly recording: Recording;
  /** For a view restricted to what a caller may see (POL-9). */
  readonly confinement?: Confinement;
  /** Of the view of some callers: the snapshot of all, which has the same tools. */
  readonly base?: GatewaySnapshot;
}

interface NamedPage {
  readonly owner: Downstream;
  readonly page: string;
  readonly tools: readonly ToolKey[];
}

interface Confinement {
  readonly key: string;
  /** The full snapshot, only for audit records. */
  readonly whole: GatewaySnapshot;
  /**
   * Decides in slices which prompts, resources and templates the lists of this view have (SAFE-4). `undefined` if they
   * are ready. Without it, the first list decides at once.
   */
  readonly prepareItems: () => Promise<void> | undefined;
}

/**
 * Which names of a snapshot are recorded, and how to record the rest. The name recorder calls the steps in
 * order.
 */
interface Recording {
  /** Records the names of a caller's tools, like `SnapshotTables.record`. */
  readonly recordTools: (choice: NamesChoice) => Promise<void> | undefined;
  /** The same for prompts. */
  readonly recordPrompts: (choice: NamesChoice) => Promise<void> | undefined;
  /** What must be written to a shared lock before a caller is shown names. */
  readonly drafts: (choice: NamesChoice) => readonly NonNullable<ReturnType<SnapshotTables["draft"]>>[];
  /** Everything that a caller may be shown is recorded. */
  readonly isDone: (choice: NamesChoice) => boolean;
  readonly setDone: (choice: NamesChoice) => void;
  /** Something was derived from this view before all its names were recorded. */
  readonly isPartial: () => boolean;
  /** The names of a caller's tools that are recorded, without recording any. */
  readonly recordedTable: (choice: NamesChoice) => NamingTable;
  /** Tools without a recorded name. */
  readonly unrecorded: (choice: NamesChoice) => readonly Tool[];
  /** Whether a public name of this tool is recorded. */
  readonly knows: (choice: NamesChoice, name: string, tool: Tool) => boolean;
}

export interface GatewaySnapshotInput {
  readonly settings: GatewaySettings;
  /** In the order of the settings; `undefined` for servers that were never started. */
  readonly servers: readonly (ServerState | undefined)[];
  readonly locks: { readonly tools: NameKeeper; readonly prompts: NameKeeper };
  /** YYYY-MM-DD. */
  readonly today: string;
  /** Names of the gateway's own tools. */
  readonly reserved: readonly string[];
  /**
   * `known`: includes servers that are down or in closed toolboxes, with what they listed last or have in the lock. Use it
   * only to find the owner of a name.
   */
  readonly scope?: "present" | "known";
  readonly watch?: RecordingWatch;
}

/** Tools per step. */
const STEP_TOOLS = 256;

export function buildGatewaySnapshot(input: GatewaySnapshotInput): GatewaySnapshot {
  return runAtOnce(gatewaySnapshotSteps(input));
}

/** The same in steps, for many tools (SAFE-4). */
export function* gatewaySnapshotSteps(input: GatewaySnapshotInput): Steps<GatewaySnapshot> {
  const { settings, locks, scope = "present" } = input;
  const pairs = settings.servers.map((server, index) => ({ server, state: input.servers[index] }));
  const inventories = new Map(
    pairs.flatMap(({ state }) => (state === undefined ? [] : [[state.downstream, state.inventory] as const])),
  );
  const offers = new Map<Downstream, Offer>();
  const owners = new Map<string, Downstream>();
  const sources: ToolSource[] = [];
  const promptSources: ToolSource[] = [];
  const absent: ToolSource[] = [];
  /** Of servers that are down, too: what is theirs stays theirs. */
  const pages = new Map<Downstream, Offer["pages"]>();
  const missing: Downstream[] = [];
  let hasClosed = false;
  for (const { server, state } of pairs) {
    if (state === undefined || (scope === "present" && !isPresent(state))) {
      const isKept = scope === "known";
      const past = isKept ? recordedNames(server, locks.tools.current()).filter(server.admits) : [];
      sources.push({ ...server.source, tools: past });
      const pastPrompts = isKept ? recordedNames(server, locks.prompts.current()) : [];
      promptSources.push({ ...server.source, tools: pastPrompts });
      absent.push(server.source);
      if (state === undefined) hasClosed ||= isOnRecord(server, locks);
      yield;
      if (state === undefined) continue;
      missing.push(state.downstream);
      pages.set(state.downstream, keepOffer(state, server, settings.naming.references).pages);
      continue;
    }
    const { downstream, inventory, launch } = state;
    const offer = keepOffer(state, server, settings.naming.references);
    pages.set(downstream, offer.pages);
    offers.set(downstream, offer);
    owners.set(ownerKey(server.source), downstream);
    const isPast = inventory === undefined && launch.kind !== "static";
    const tools = isPast ? recordedNames(server, locks.tools.current()).filter(server.admits) : offer.tools;
    const prompts = isPast ? recordedNames(server, locks.prompts.current()) : offer.prompts;
    sources.push({ ...server.source, tools, serverVersion: versionOf(state, server) });
    promptSources.push({ ...server.source, tools: prompts });
  }
  const options = snapshotOptions(input, absent);
  const tools = yield* snapshotSteps(sources, {
    ...options,
    pins: settings.naming.pins,
    renames: settings.renames,
    strict: settings.strict,
    reserved: input.reserved,
    lock: locks.tools.current(),
  });
  const prompts = yield* snapshotSteps(promptSources, { ...options, lock: locks.prompts.current() });
  /** Every call looks here; filled beforehand with the tools of the catalog. */
  const ownerOfKey = new Map<string, Downstream>();
  for (const [index, tool] of tools.catalog.tools.entries()) {
    if (index % STEP_TOOLS === 0) yield;
    const owner = owners.get(ownerKey(tool));
    if (owner !== undefined) ownerOfKey.set(tool.key, owner);
  }
  const present = [...offers.keys()];
  const textProblems = [...offers].flatMap(([{ id }, offer]) => mentionProblems(id, offer));
  const { watch } = input;
  const toolTables = createSnapshotTables(tools, locks.tools, {
    choicesOf: (choice) => advertisedChoices(choice, tools),
    watch,
  });
  const promptTables = createSnapshotTables(prompts, locks.prompts, {
    choicesOf: (choice) => [choice],
    watch,
  });
  yield;
  return {
    tools,
    prompts,
    resources: buildResourceTable(
      [...present, ...missing].map((owner) => ({
        key: formatResourceKey(owner.id),
        owner,
        isAbsent: !offers.has(owner),
        resources: textsOf(inventories.get(owner)?.resources, "uri"),
        pages: [...(pages.get(owner)?.keys() ?? [])],
        templates: textsOf(inventories.get(owner)?.templates, "uriTemplate"),
      })),
      {
        hasUnlisted: pairs.some(({ state }) => state === undefined || !isListed(state)),
        hasUnlistedDown: hasClosed || pairs.some(({ state }) => state !== undefined && !isListed(state)),
      },
    ),
    pages: [...pages].flatMap(([owner, named]) =>
      [...named].map(([page, raws]) => ({
        owner,
        page,
        tools: raws.map((raw) => toolKeyOf({ ...owner.id, raw })),
      })),
    ),
    present,
    missing,
    hasAbsent: hasClosed || missing.length > 0,
    ownerOf: (tool) => ownerOfKey.get(tool.key) ?? owners.get(ownerKey(tool)),
    offerOf: (downstream) => offers.get(downstream),
    promptsOf: (downstream) => inventories.get(downstream)?.prompts ?? [],
    resourcesOf: (downstream) => inventories.get(downstream)?.resources ?? [],
    templatesOf: (downstream) => inventories.get(downstream)?.templates ?? [],
    tableOf: toolTables.tableOf,
    promptTableOf: promptTables.tableOf,
    problems: [
      ...tools.problems,
      ...present.flatMap((downstream) => listingProblems(downstream, inventories.get(downstream))),
      ...textProblems,
      ...missing.flatMap(unusable),
    ],
    textProblems,
    recording: createRecording({
      tools: toolTables,
      prompts: promptTables,
      choicesOf: (choice) => advertisedChoices(choice, tools),
    }),
  };
}

/** What is in a lock of a server that has listed nothing yet. */
function recordedNames({ source }: ServerSettings, lock: Lock): readonly string[] {
  const start = keyStart(source);
  return [...lock.tools]
    .filter(([key, { successor }]) => key.startsWith(start) && successor === undefined)
    .map(([key]): unknown => JSON.parse(key.slice(start.length, -1)))
    .filter((raw) => typeof raw === "string");
}

/** Whether clients were shown names of a server. One that nobody ever opened has none, and takes nothing from others. */
function isOnRecord({ source }: ServerSettings, { tools, prompts }: GatewaySnapshotInput["locks"]): boolean {
  const start = keyStart(source);
  return [tools, prompts].some((keeper) => {
    for (const key of keeper.current().tools.keys()) if (key.startsWith(start)) return true;
    return false;
  });
}

/** How the keys of a server's tools start: a key is the JSON of its parts, the raw name last. */
function keyStart({ server, toolbox }: ToolSource): string {
  return toolKeyOf({ server, toolbox, raw: "" }).slice(0, -`""]`.length);
}

/** What a server's lists lack. The connection already logged it. */
function listingProblems({ id }: Downstream, inventory: ServerState["inventory"]): readonly CatalogProblem[] {
  return (inventory?.problems ?? []).map(({ message }) => ({
    code: "list-incomplete",
    severity: "warning",
    message: `${quoteText(id.server)}: ${escapeText(message)}`,
    fix: "See the gateway's log.",
    tools: [],
    servers: [id.server],
  }));
}

/**
 * A server that is never started because its config entry is incomplete. The connection already logged it.
 */
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

/**
 * The version that the server announced; rename windows may count in versions (LOCK-2). For a static catalog,
 * the configured version.
 */
function versionOf({ launch, inventory }: ServerState, { source }: ServerSettings): string | undefined {
  if (launch.kind === "static") return source.serverVersion;
  const version = inventory?.serverInfo["version"];
  return typeof version === "string" ? version : undefined;
}

function createRecording({
  tools,
  prompts,
  choicesOf,
}: {
  readonly tools: SnapshotTables;
  readonly prompts: SnapshotTables;
  readonly choicesOf: (choice: NamesChoice) => readonly NamesChoice[];
}): Recording {
  const done = new Map<Profile, Set<string | undefined>>();
  return {
    recordTools: tools.record,
    recordPrompts: prompts.record,
    drafts: (choice) => [tools.draft(choice), prompts.draft(choice)].filter((draft) => draft !== undefined),
    isDone: ({ profile, as }) => done.get(profile)?.has(as) === true,
    setDone({ profile, as }) {
      done.set(profile, (done.get(profile) ?? new Set()).add(as));
    },
    isPartial: () => tools.isPartial() || prompts.isPartial(),
    recordedTable: tools.recordedTable,
    unrecorded: tools.unrecorded,
    knows: (choice, name, tool) =>
      choicesOf(choice).some((each) => tools.tableOf(each).toolNamed(name)?.key === tool.key),
  };
}

function snapshotOptions(
  { settings, today }: GatewaySnapshotInput,
  absent: readonly ToolSource[],
): SnapshotOptions & { lock?: Lock } {
  const { style, as, aliases } = settings.naming;
  return {
    aliases,
    profiles: settings.profiles.own,
    absent,
    today,
    ownNames: META_TOOLS,
    ...(style === undefined ? {} : { style }),
    ...(as === undefined ? {} : { as }),
  };
}

/** Distinct owners have distinct keys, whatever text their ids contain. */
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
