// What each caller sees of a snapshot: its tools, servers, prompts and resources (POL-1, POL-9). Computed
// once per policy subject. Everything here is derived from the subject (and, for texts, from the naming
// choice), and cached by a key of that same value.

import type { ResolveContext, StructuredName, ToolKey } from "@onym/core";
import { createSuggester } from "@onym/core/resolve";
import type { Downstream, DownstreamId } from "../../downstream/downstream.js";
import { formatSubjectKey, type PolicySubject } from "../../model/policy-rule.js";
import { MANY_TOOLS, runInSlices, SharedTurn } from "../../model/run-slices.js";
import type { IsNew, Policy } from "../../policy/build-policy.js";
import type { RuleOwner } from "../../policy/compile-rule.js";
import { buildVisibleTools, type VisibleTools } from "../../policy/visible-tools.js";
import type { Caller } from "../caller.js";
import { type GatewaySnapshot, type NamesChoice, ownerKey } from "../catalog/gateway-snapshot.js";
import type { GatewayContext, View } from "../gateway-context.js";
import { setBounded } from "../set-bounded.js";
import type { GatewaySettings } from "../settings.js";
import { confineSnapshot, idOf } from "./confine-snapshot.js";
import type {
  AccessOf,
  CallerAccess,
  CallerIdentity,
  Visibility,
  VisibilityOf,
  VisibleResolution,
} from "./visibility.js";
import { createVisibleResolver } from "./visible-resolver.js";

export function subjectOf({ principal, confinedTo }: CallerIdentity): PolicySubject {
  return { principal, toolboxes: confinedTo };
}

export interface VisibilityRules {
  readonly policy: Policy;
  /** Which tools of a snapshot are new; absent if that changes nothing. */
  readonly isNewIn?: ((snapshot: GatewaySnapshot) => IsNew) | undefined;
}

export function createCallerVisibility(rules: VisibilityRules): VisibilityOf {
  const tools = keepBySnapshot((snapshot, subject: PolicySubject) =>
    buildVisibleTools(rules.policy, snapshot.tools.catalog.tools, subject, rules.isNewIn?.(snapshot)),
  );
  const visibilities = keepBySnapshot((snapshot, { subject, profile, as }: NamedSubject) => {
    const subjectKey = formatSubjectKey(subject);
    const visible = tools(snapshot, subjectKey, subject);
    const isAll = visible.tools.length === snapshot.tools.catalog.tools.length;
    // What is denied may be of a server that is down, or gone: its names are on record, and known to nobody.
    if (isAll && rules.policy.mayMention("", subject)) return undefined;
    return buildVisibility({ snapshot, choice: { profile, as }, key: subjectKey, visible, isAll });
  });
  /** The last result of each session: sessions call more often than snapshots change. */
  const last = new WeakMap<
    Caller,
    { readonly snapshot: GatewaySnapshot; readonly visibility: Visibility | undefined }
  >();
  return (shown, caller) => {
    const snapshot = shown.base ?? shown;
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.visibility;
    const named: NamedSubject = { subject: subjectOf(caller), profile: caller.profile, as: caller.as };
    const visibility = visibilities(snapshot, formatNamedKey(named), named);
    if (caller.session !== undefined) last.set(caller, { snapshot, visibility });
    return visibility;
  };
}

/** The inputs of a visibility: suggestions use the names of one profile and alias. */
interface NamedSubject extends NamesChoice {
  readonly subject: PolicySubject;
}

function formatNamedKey({ subject, profile, as }: NamedSubject): string {
  return JSON.stringify([formatSubjectKey(subject), profile.id, as ?? null]);
}

/** What a name means to a caller. */
export function resolveFor(
  caller: Caller,
  { snapshot, guard }: Pick<View, "snapshot" | "guard">,
  name: string | StructuredName,
  from: ResolveContext | undefined,
): VisibleResolution {
  const visibility = guard.visibility(snapshot, caller);
  if (visibility !== undefined) return visibility.resolve(name, from);
  const { profile, as } = caller;
  return { resolution: snapshot.tools.resolverFor(profile, as === undefined ? {} : { as })(name, from) };
}

export function createCallerAccess(policy: Policy): AccessOf {
  const accesses = keepBySnapshot((snapshot, subject: PolicySubject) =>
    buildAccess(policy, snapshot, subject),
  );
  const last = new WeakMap<
    CallerIdentity,
    { readonly snapshot: GatewaySnapshot; readonly access: CallerAccess | undefined }
  >();
  return (snapshot, caller) => {
    if (!policy.mayHideItems && caller.confinedTo === undefined) return undefined;
    const seen = last.get(caller);
    if (seen?.snapshot === snapshot) return seen.access;
    const subject = subjectOf(caller);
    const access = accesses(snapshot, formatSubjectKey(subject), subject);
    last.set(caller, { snapshot, access });
    return access;
  };
}

/** Subjects, and views of one snapshot, that are kept: an authorization server may know any number of callers. */
const MAX_KEPT = 1_000;

/** Builds a value once per snapshot and key, and drops it with the snapshot. */
function keepBySnapshot<Input, Value>(
  build: (snapshot: GatewaySnapshot, input: Input) => Value,
): (snapshot: GatewaySnapshot, key: string, input: Input) => Value {
  const kept = new WeakMap<GatewaySnapshot, Map<string, { readonly value: Value }>>();
  return (snapshot, key, input) => {
    const made = kept.get(snapshot) ?? new Map<string, { readonly value: Value }>();
    kept.set(snapshot, made);
    const known = made.get(key);
    if (known !== undefined) return known.value;
    const value = build(snapshot, input);
    setBounded(made, key, { value }, MAX_KEPT);
    return value;
  };
}

interface VisibilityInput {
  readonly snapshot: GatewaySnapshot;
  readonly choice: NamesChoice;
  readonly key: string;
  readonly visible: VisibleTools;
  /** None of the tools that are there is hidden. */
  readonly isAll: boolean;
}

function buildVisibility({ snapshot, choice, key, visible, isAll }: VisibilityInput): Visibility {
  const suggester = createVisibleSuggester(snapshot, choice, visible);
  let preparing: { readonly made: Promise<void>; readonly turn: SharedTurn } | "done" | undefined;
  const names = {
    toolNamed: (name: string) => snapshot.tableOf(choice).toolNamed(name),
    suggest: (input: string | StructuredName) =>
      suggester().suggest(typeof input === "string" ? input : `${input.server}_${input.name}`),
  };
  return {
    // All callers that see everything share one list.
    key: isAll ? "everything" : key,
    sees: visible.isVisible,
    resolve: createVisibleResolver({ snapshot, choice, visible, names }),
    prepareSuggestions(callerKey) {
      if (visible.tools.length < MANY_TOOLS || preparing === "done") return undefined;
      preparing?.turn.join(callerKey);
      if (preparing !== undefined) return preparing.made;
      const turn = new SharedTurn({ callerKey });
      const made = runInSlices(suggester().steps(), turn).finally(() => {
        preparing = "done";
      });
      preparing = { made, turn };
      return made;
    },
  };
}

/** Uses only visible tools, so that neither a suggestion nor its absence reveals a hidden one (RES-3). */
function createVisibleSuggester(
  snapshot: GatewaySnapshot,
  choice: NamesChoice,
  { isVisible }: VisibleTools,
): () => ReturnType<typeof createSuggester> {
  let made: ReturnType<typeof createSuggester> | undefined;
  return () => {
    made ??= createSuggester({
      tools: snapshot.tableOf(choice).tools.filter(({ tool }) => isVisible(tool)),
    });
    return made;
  };
}

function buildAccess(
  policy: Policy,
  snapshot: GatewaySnapshot,
  subject: PolicySubject,
): CallerAccess | undefined {
  if (!policy.hidesItems(subject)) return undefined;
  const owners = new Map(snapshot.tools.catalog.servers.map((owner) => [ownerKey(owner), owner]));
  const reached = new Map<string, boolean>();
  return {
    key: formatSubjectKey(subject),
    reaches(id) {
      const text = ownerKey(id);
      const found = reached.get(text) ?? policy.reaches(ruleOwnerOf(id, owners.get(text)), subject);
      reached.set(text, found);
      return found;
    },
    seesPrompt: (prompt) => policy.decideItem({ kind: "prompt", prompt }, subject).effect !== "deny",
    seesResource: (id, uri) => {
      const owner = ruleOwnerOf(id, owners.get(ownerKey(id)));
      return policy.decideItem({ kind: "resource", owner, uri }, subject).effect !== "deny";
    },
  };
}

/** A server outside the catalog has no integration that a rule could name. */
export function ruleOwnerOf({ server, toolbox }: DownstreamId, known: RuleOwner | undefined): RuleOwner {
  return known ?? { server, toolbox, integration: "" };
}

// Settings, view and context for a caller that may see only part of the gateway (POL-9). The guard decides which tools it
// sees (POL-1); this hides everything else of servers, prompts, resources and toolboxes that the caller may not reach.

function admitsToolbox({ confinedTo }: Pick<Caller, "confinedTo">, toolbox: string | undefined): boolean {
  return confinedTo === undefined || (toolbox !== undefined && confinedTo.includes(toolbox));
}

/** What a caller may see; `undefined`: everything. Without a policy, toolboxes still limit it. */
export function accessOf(
  { guard, snapshot }: Pick<View, "guard" | "snapshot">,
  caller: CallerIdentity,
): CallerAccess | undefined {
  const access = guard.access(snapshot, caller);
  if (access !== undefined || caller.confinedTo === undefined) return access;
  const admits = ({ toolbox }: { readonly toolbox?: string | undefined }) => admitsToolbox(caller, toolbox);
  return {
    key: JSON.stringify(caller.confinedTo),
    reaches: admits,
    seesPrompt: admits,
    seesResource: admits,
  };
}

/** Whether a caller may see anything of a server now. */
export function reaches(
  view: Pick<View, "guard" | "snapshot">,
  caller: CallerIdentity,
  id: DownstreamId,
): boolean {
  return accessOf(view, caller)?.reaches(id) !== false;
}

export function confineContext(context: GatewayContext, caller: Caller): GatewayContext {
  const { toolboxes } = context;
  const settings = (): GatewaySettings => confineSettings(context.settings(), context.latestView(), caller);
  const hasToolbox = (toolbox: string): boolean => settings().toolboxes.some(({ id }) => id === toolbox);
  return {
    ...context,
    latestView: () => confineView(context.latestView(), caller),
    names: {
      ...context.names,
      recordNames: (choice) => {
        const recorded = context.names.recordNames(choice);
        return recorded instanceof Promise
          ? recorded.then((view) => confineView(view, caller))
          : confineView(recorded, caller);
      },
      recordPromptNames: async (choice) => confineView(await context.names.recordPromptNames(choice), caller),
    },
    settings,
    toolboxes: {
      ...toolboxes,
      open: async (toolbox, holder) =>
        hasToolbox(toolbox)
          ? toolboxes.open(toolbox, holder, (id) => reaches(context.latestView(), caller, id))
          : { outcome: "unknown" },
      close: (toolbox, holder) => hasToolbox(toolbox) && toolboxes.close(toolbox, holder),
      isOpen: (toolbox) => hasToolbox(toolbox) && toolboxes.isOpen(toolbox),
    },
  };
}

interface KeptSettings {
  readonly whole: GatewaySettings;
  readonly confined: GatewaySettings;
}

/** The last of each: every call needs them. */
const keptSettings = new WeakMap<CallerAccess, KeptSettings>();

export function confineSettings(
  settings: GatewaySettings,
  view: Pick<View, "guard" | "snapshot">,
  caller: Caller,
): GatewaySettings {
  const access = accessOf(view, caller);
  if (access === undefined) return settings;
  const kept = keptSettings.get(access);
  if (kept?.whole === settings) return kept.confined;
  const { passthrough } = settings;
  const servers = settings.servers.filter(({ source }) => access.reaches(idOf(source)));
  const confined = {
    ...settings,
    servers,
    toolboxes: settings.toolboxes.filter(({ id }) => servers.some(({ source }) => source.toolbox === id)),
    passthrough: passthrough !== undefined && access.reaches(passthrough) ? passthrough : undefined,
  };
  keptSettings.set(access, { whole: settings, confined });
  return confined;
}

/** The same view object for the same access, because derived values are cached by view. */
const keptViews = new WeakMap<View, Map<string, View>>();
/** The last one of each caller: a call asks for it several times. */
const lastViews = new WeakMap<Caller, { readonly whole: View; readonly confined: View }>();

export function confineView(view: View, caller: Caller): View {
  const last = lastViews.get(caller);
  if (last?.whole === view) return last.confined;
  const confined = findView(view, caller);
  lastViews.set(caller, { whole: view, confined });
  return confined;
}

function findView(view: View, caller: Caller): View {
  const access = accessOf(view, caller);
  const hidden = hiddenPages(view, caller);
  if (access === undefined && hidden === undefined) return view;
  const made = keptViews.get(view) ?? new Map<string, View>();
  keptViews.set(view, made);
  const key = JSON.stringify([access?.key ?? null, hidden ?? null]);
  const known = made.get(key);
  if (known !== undefined) return known;
  const confine = (snapshot: GatewaySnapshot): GatewaySnapshot => {
    const seen = hidden === undefined ? snapshot : hidePages(snapshot, new Set(hidden));
    return access === undefined ? seen : confineSnapshot(seen, access);
  };
  let knownToCaller: GatewaySnapshot | undefined;
  const confined = {
    ...view,
    snapshot: confine(view.snapshot),
    known: () => {
      knownToCaller ??= confine(view.known());
      return knownToCaller;
    },
  };
  setBounded(made, key, confined, MAX_KEPT);
  return confined;
}

/**
 * The pages of which the caller sees no tool; `undefined` if rules hide no tool from it. Depends on the rules alone, not on
 * what there is, so that hidden pages and none look the same (GW-6).
 */
function hiddenPages({ snapshot, known, guard }: View, caller: Caller): readonly string[] | undefined {
  const visibility = guard.visibility(snapshot, caller);
  if (visibility === undefined) return undefined;
  const sees = (key: ToolKey): boolean => {
    const tool = snapshot.tools.catalog.toolWithKey(key);
    if (tool !== undefined) return visibility.sees(tool);
    // Of a server that is down.
    const past = known().tools.catalog.toolWithKey(key);
    return past !== undefined && guard.visibility(known(), caller)?.sees(past) !== false;
  };
  return snapshot.pages
    .filter(({ tools }) => !tools.some(sees))
    .map(({ owner, page }) => pageKey(owner, page));
}

function hidePages(snapshot: GatewaySnapshot, hidden: ReadonlySet<string>): GatewaySnapshot {
  return {
    ...snapshot,
    base: snapshot,
    resources: snapshot.resources.seenBy((owner, page) => !hidden.has(pageKey(owner, page))),
  };
}

function pageKey({ id }: Downstream, page: string): string {
  return `${ownerKey(id)} ${page}`;
}
