// The laws of approvals, each as a property over nasty catalogs: keys tell identities apart, and nothing that happens to
// names ever makes anything approved that nobody approved.

import {
  buildSnapshot,
  listProfiles,
  type Profile,
  type Snapshot,
  type Tool,
  type ToolSource,
} from "@onym/core";
import {
  approvalKeysOfCatalogTool,
  approvalKeysOfTool,
  buildDecisionRecord,
  buildStandingRecord,
  callBindingOf,
  type Decisions,
  decideApproval,
  decideStanding,
  decideToolCall,
  formatDecisions,
  parseDecisions,
  recordStanding,
  type ToolBinding,
  toolBindingOf,
} from "@onym/core/approvals";
import { callIdOf, toolKeyOf } from "@onym/core/identity";
import fc from "fast-check";
import { describe, it } from "vitest";
import { lawRuns } from "./law-runs.js";
import { rawName, sources } from "./nasty.js";
import { type Upheaval, upheaval, withDefinitions } from "./upheaval.js";

const profile = fc.constantFrom(...listProfiles());

describe("the laws of approvals", () => {
  it("injective: no two identities share a key (ID-4)", () => {
    const identity = fc.oneof(
      fc.record(
        { server: rawName, raw: rawName, toolbox: rawName },
        { requiredKeys: ["server", "raw"], noNullPrototype: true },
      ),
      fc.record(
        { name: rawName, namespace: rawName, deferred: fc.boolean() },
        { requiredKeys: ["name"], noNullPrototype: true },
      ),
    );
    fc.assert(
      fc.property(fc.array(identity, { minLength: 2, maxLength: 8 }), fc.nat(), (identities, at) => {
        const owner = new Map<string, string>();
        for (const each of identities.flatMap((one) => [one, resplit(one, at)])) {
          const keys = "raw" in each ? approvalKeysOfCatalogTool(toolKeyOf(each)) : approvalKeysOfTool(each);
          if (keys === undefined) continue;
          const who = describeIdentity(each);
          hold((owner.get(keys.canonical) ?? who) === who, `${who} shares the key of another tool`);
          owner.set(keys.canonical, who);
          const bound = callBindingOf({ callId: callIdOf({ id: "c1" }), definition: {}, arguments: {} });
          if (bound === undefined) throw new Error("no call");
          const call = { kind: "call", keys, call: bound, verdict: "approved" } as const;
          hold(buildDecisionRecord([call]).calls.size === 1 + keys.aliases.length, "two keys are one");
        }
      }),
      lawRuns(),
    );
  });

  // One law over four tools at once, because what is dear is what they share: every client's names, before and after.
  it("never widened, denied everywhere: whatever happens to names, only the approved tool is approved, unchanged, and a denied one is denied under every spelling that leads to it (ID-5) (POL-2)", () => {
    fc.assert(
      fc.property(sources, upheaval, fc.nat(), profile, (list, change, pick, profile) => {
        const scene = stage(list, change, pick, profile);
        if (scene === undefined) return;
        const sets = scene.approved.map(decisionsAbout);
        visit(scene, (spelling, tool, asked) => {
          for (const set of sets) holdDecisions(set, spelling, tool, asked);
        });
      }),
      lawRuns("fourfold"),
    );
  });

  it("settled: adding a colliding server changes no name that was there before, given the lock (NAME-4) (LOCK-1)", () => {
    const rival = fc.record({
      at: fc.nat(),
      kind: fc.constantFrom("version", "separator", "case", "suffix", "flat", "boxed"),
      twist: rawName,
    });
    fc.assert(
      fc.property(sources, rival, profile, (list, { at, kind, twist }, profile) => {
        const before = buildSnapshot(list);
        const names = before.namesFor(profile);
        const newcomer = rivalOf(list, at, kind, twist);
        if (newcomer === undefined) return;
        const after = buildSnapshot([newcomer, ...list], { lock: before.nextLock([profile]) });
        const table = after.namesFor(profile);
        const resolve = after.resolverFor(profile);
        const blamed = new Set(after.problems.flatMap(({ servers }) => servers));
        for (const { name, tool } of names.tools) {
          const same = after.catalog.toolWithKey(tool.key);
          if (same === undefined) {
            hold(blamed.has(tool.server), `${tool.canonical} went without a word`);
            hold(!table.toolNamed(name), `${name} went to another tool`);
            continue;
          }
          // A style that came with toolboxes is another table; the lock holds the names of the old one.
          hold(table.nameOf(same) === name, `${name} became ${table.nameOf(same)}`);
          const found = resolve(name);
          hold(found.outcome === "resolved" && found.tool === same, `${name} no longer leads to its tool`);
        }
      }),
      lawRuns("dear"),
    );
  });
});

interface Scene {
  /** The one that the change is about, and three others. */
  readonly approved: readonly ToolBinding[];
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly profile: Profile;
  readonly launchOf: (tool: Tool) => string;
}

/** Tools are approved for good; then servers, tools, definitions and options change. */
function stage(
  list: readonly ToolSource[],
  change: Upheaval,
  pick: number,
  profile: Profile,
): Scene | undefined {
  const defined = withDefinitions(list);
  const before = buildSnapshot(defined);
  const { tools } = before.catalog;
  const chosen = [0, 1, 2, 3]
    .slice(0, tools.length)
    .map((next) => tools[(pick + next) % tools.length] as Tool);
  const [first] = chosen;
  if (first === undefined) return undefined;
  return {
    approved: chosen.map((tool) => toolBindingOf({ principal: "ann", launch: "first", tool })),
    before,
    after: change(defined, before, first, profile),
    profile,
    launchOf: (tool) => (tool.server.length % 5 === 0 && pick % 2 === 0 ? "second" : "first"),
  };
}

interface DecisionsAbout {
  readonly approved: ToolBinding;
  readonly approvals: Decisions;
  readonly denials: Decisions;
}

/** One tool approved for good, and denied for good. An approval before or after a denial, and a night on disk, change nothing. */
function decisionsAbout(approved: ToolBinding): DecisionsAbout {
  const keys = approvalKeysOfCatalogTool(approved.tool);
  const approvals = {
    record: buildDecisionRecord([{ kind: "always", keys, verdict: "approved" }]),
    standing: buildStandingRecord([{ verdict: "approved", ...approved }]),
  };
  const denied = recordStanding(approvals.standing, { verdict: "rejected", ...approved });
  const { standing } = restore({
    record: approvals.record,
    standing: recordStanding(denied, { verdict: "approved", ...approved }),
  });
  const record = buildDecisionRecord([{ kind: "always", keys, verdict: "rejected" }]);
  return { approved, approvals, denials: { record, standing } };
}

function holdDecisions(
  { approved, approvals, denials }: DecisionsAbout,
  spelling: string,
  tool: Tool,
  asked: ToolBinding,
): void {
  const isIt = tool.key === approved.tool;
  const { outcome } = decideStanding(asked, approvals.standing);
  if (!isIt) {
    hold(outcome === "undecided", `${spelling} is ${outcome} on ${tool.canonical}`);
    const keys = approvalKeysOfCatalogTool(tool.key);
    const always = decideApproval({ keys, call: undefined }, approvals.record);
    hold(always.outcome === "undecided", `${spelling} is always ${always.outcome}`);
  } else {
    const isSame = asked.digest === approved.digest && asked.launch === approved.launch;
    hold(outcome === (isSame ? "approved" : "changed"), `${spelling} is ${outcome}`);
  }
  const isDenied = decideStanding(asked, denials.standing).outcome === "rejected";
  hold(isDenied === isIt, `${spelling} is ${isDenied ? "" : "not "}denied on ${tool.canonical}`);
  const called = decideToolCall({ binding: asked, callId: undefined, arguments: {} }, denials);
  hold((called.outcome === "rejected") === isDenied, `a call of ${spelling} is ${called.outcome}`);
}

/** Every spelling we can think of, resolved; calls back for each that leads to a tool. */
function visit(scene: Scene, look: (spelling: string, tool: Tool, asked: ToolBinding) => void): void {
  const bindings = new Map<Tool, ToolBinding>();
  const resolve = scene.after.resolverFor(scene.profile);
  for (const spelling of spellingsOf(scene)) {
    const found = resolve(spelling);
    if (found.outcome !== "resolved") continue;
    const { tool } = found;
    const launch = scene.launchOf(tool);
    const binding = bindings.get(tool) ?? toolBindingOf({ principal: "ann", launch, tool });
    bindings.set(tool, binding);
    look(spelling, tool, binding);
  }
}

/** Every form of the approved tools, as they were and as they are; of others the names that are most often taken for theirs. */
function spellingsOf({ before, after, profile, approved }: Scene): ReadonlySet<string> {
  const found = new Set<string>();
  for (const snapshot of [before, after]) {
    const table = snapshot.namesFor(profile);
    for (const tool of snapshot.catalog.tools.slice(0, 4)) {
      for (const text of [tool.canonical, tool.raw, table.nameOf(tool) ?? ""]) found.add(text);
    }
    for (const { tool: key } of approved) {
      const tool = snapshot.catalog.toolWithKey(key);
      if (tool === undefined) continue;
      for (const text of formsOf(tool)) found.add(text);
      const names = [table.nameOf(tool) ?? "", snapshot.namesFor("universal").nameOf(tool) ?? ""];
      for (const name of names) for (const text of [name, `${name}_2`, name.toUpperCase()]) found.add(text);
    }
  }
  return found;
}

function formsOf({ canonical, server, raw, toolbox, integration, label }: Tool): readonly string[] {
  // A lone surrogate has no percent-encoding.
  const encoded = /\p{Cs}/u.test(canonical) ? canonical : encodeURIComponent(canonical);
  return [
    canonical,
    encoded,
    encoded.toLowerCase(),
    canonical.toUpperCase(),
    canonical.replace("/", "~"),
    canonical.replace(/@\d+/g, "@latest"),
    canonical.replace(/@(\d+)/g, "@v$1"),
    `${integration}/${raw}`,
    `${integration}_${raw}`,
    `${label}_${raw}`,
    `${server}.${raw}`,
    `${server}/${raw}`,
    `mcp__${server}__${raw}`,
    `mcp_${server}__${raw}`,
    `mcp__onym__${label}_${raw}`,
    `${toolbox ?? "dev"}__${server}__${raw}`,
    raw,
    raw.toUpperCase(),
  ];
}

/** A server made to want the names of one that is there. */
function rivalOf(
  list: readonly ToolSource[],
  at: number,
  kind: string,
  twist: string,
): ToolSource | undefined {
  const victim = list[at % Math.max(1, list.length)];
  if (victim === undefined) return undefined;
  const { server, tools, toolbox } = victim;
  const names = tools.map((tool) => (typeof tool === "string" ? tool : tool.name));
  if (kind === "version") return { ...victim, server: `${server}${twist}`, version: 99 };
  if (kind === "case")
    return { server: server.toUpperCase(), integration: "rival", alias: "a", tools: names };
  if (kind === "suffix")
    return { server: `${server}-2`, tools: names.flatMap((name) => [name, `${name}_2`]) };
  if (kind === "boxed") return { toolbox: "rivals", server: "a", tools: names };
  if (kind === "flat") {
    const [head = "", ...rest] = server.split(/[_-]/);
    return { server: head, tools: names.map((name) => [...rest, name].join("_")) };
  }
  const other = { server: server.replace(/[_-]/g, (joint) => (joint === "_" ? "-" : "_")), tools: names };
  return toolbox === undefined ? other : { ...other, toolbox };
}

function restore(made: Decisions) {
  const read = parseDecisions(formatDecisions(made));
  if (!read.ok) throw new Error(read.problem.message);
  return read.value;
}

type Identity =
  | { readonly server: string; readonly raw: string; readonly toolbox?: string }
  | { readonly name: string; readonly namespace?: string; readonly deferred?: boolean };

/** The same letters, cut at another place. */
function resplit(identity: Identity, at: number): Identity {
  const joint = [".", "__", "/", '","'][at % 4] ?? ".";
  const [first, second] =
    "raw" in identity ? [identity.server, identity.raw] : [identity.namespace ?? "", identity.name];
  const parts = `${first}${joint}${second}`.split(joint);
  const cut = at % parts.length;
  const [head, tail] = [parts.slice(0, cut).join(joint), parts.slice(cut).join(joint)];
  return "raw" in identity
    ? { ...identity, server: head, raw: tail }
    : { ...identity, namespace: head, name: tail };
}

function describeIdentity(identity: Identity): string {
  if ("raw" in identity) {
    const { toolbox, server, raw } = identity;
    return JSON.stringify(["catalog", toolbox === undefined ? [] : [toolbox], server, raw]);
  }
  const { namespace = "", name, deferred = false } = identity;
  return JSON.stringify(["function", namespace, name, deferred && namespace === ""]);
}

/** Cheaper than an assertion library in a loop of millions. */
function hold(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
