// The laws of policy, each as a property over nasty catalogs: rules are about identities, in any order, and what is denied
// is denied and hidden however a call spells it.

import {
  buildSnapshot,
  decodeTransport,
  formatCanonicalName,
  type Lock,
  listProfiles,
  type Profile,
  type Resolution,
  type Snapshot,
  type Tool,
  type ToolKey,
  type ToolSource,
  withoutToolbox,
} from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { plainIntegration } from "@onym/core/naming";
import fc from "fast-check";
import { describe, it } from "vitest";
import { parseToolPattern } from "../../packages/onym/src/config/sections/parse-tool-pattern.js";
import { createVisibleResolver } from "../../packages/onym/src/gateway/visibility/visible-resolver.js";
import type { Effect, PolicyRule, ToolPattern } from "../../packages/onym/src/model/policy-rule.js";
import { buildPolicy } from "../../packages/onym/src/policy/build-policy.js";
import { buildFormerNames, buildFormerServers } from "../../packages/onym/src/policy/former-names.js";
import { buildVisibleTools } from "../../packages/onym/src/policy/visible-tools.js";
import { isLong } from "../long-runs.js";
import { toolsOf } from "../policy/policy-of.js";
import { rawName, sources } from "./nasty.js";

const RUNS = { numRuns: isLong ? 3_000 : 500 };
const ANN = { principal: "ann" };
const STRICTNESS: Readonly<Record<Effect, number>> = { allow: 0, ask: 1, deny: 2 };

const effect = fc.constantFrom<Effect>("allow", "ask", "deny");
const hints = fc.record(
  {
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    idempotentHint: fc.boolean(),
    openWorldHint: fc.boolean(),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const version = fc.constantFrom<ToolPattern["toolVersion"]>(1, 2, "any", undefined);
const glob = fc.oneof(fc.constantFrom("*", "a*", "*b", "?", "get*", "*__*", "salesforce", "a", "b"), rawName);
const pattern: fc.Arbitrary<ToolPattern> = fc.record({
  text: fc.constant("a pattern"),
  integration: fc.constantFrom("*", "a", "b", "salesforce", "a-*", "x?"),
  integrationVersion: version,
  tool: glob,
  toolVersion: version,
});
const rule: fc.Arbitrary<PolicyRule> = fc.record(
  {
    effect,
    tool: fc.array(pattern, { minLength: 1, maxLength: 2 }),
    server: fc.array(glob, { minLength: 1, maxLength: 2 }),
    toolbox: fc.array(glob, { minLength: 1, maxLength: 2 }),
    caller: fc.constantFrom(["ann"], ["b*"], ["*"]),
    annotations: hints,
  },
  { requiredKeys: ["effect"], noNullPrototype: true },
);
const rules = fc.array(rule, { maxLength: 8 });
const facts = { formerNames: (tool: Tool) => (tool.raw.length % 2 === 0 ? ["a@1/get@1", "b@2/lead@3"] : []) };

/**
 * Whether a rule that is the name of `chosen` is about a tool. Without a toolbox it means every one (CANON-7); deny and ask
 * also mean servers that gave way to one with nearly the same id (NAME-8).
 */
function isNamed(tool: Tool, chosen: Tool, effect: Effect): boolean {
  const { toolbox, integrationVersion, toolName, toolVersion } = tool;
  const integration = plainIntegration(tool);
  const plain = formatCanonicalName({
    toolbox,
    integration,
    integrationVersion,
    tool: toolName,
    toolVersion,
  });
  const names = effect === "allow" ? [tool.canonical] : [tool.canonical, plain];
  return names.some(
    (name) => (chosen.toolbox === undefined ? withoutToolbox(name) : name) === chosen.canonical,
  );
}

describe("the laws of policy", () => {
  it("order-free: the order of rules changes nothing but which of equals is named (POL-1)", () => {
    fc.assert(
      fc.property(sources, rules, effect, fc.nat(), (list, given, otherwise, seed) => {
        const first = buildPolicy({ default: otherwise, rules: given }, facts);
        const turned = [
          ...given.slice(seed % (given.length + 1)),
          ...given.slice(0, seed % (given.length + 1)),
        ];
        const second = buildPolicy({ default: otherwise, rules: turned.reverse() }, facts);
        const all = first.decideAll(toolsOf(list), ANN);
        for (const tool of toolsOf(list)) {
          const decided = first.decide(tool, ANN);
          hold(decided.effect === second.decide(tool, ANN).effect, `${tool.canonical} depends on the order`);
          hold(all.get(tool.key)?.rule === decided.rule, `${tool.canonical} is decided otherwise at once`);
        }
      }),
      RUNS,
    );
  });

  it("lasting: no rule that allows takes a denial or a question away (POL-1)", () => {
    fc.assert(
      fc.property(sources, rules, rules, (list, given, more) => {
        const allows = more.map((each): PolicyRule => ({ ...each, effect: "allow" }));
        const before = buildPolicy({ default: "allow", rules: given }, facts);
        const after = buildPolicy({ default: "allow", rules: [...allows, ...given, ...allows] }, facts);
        const stricter = buildPolicy({ default: "allow", rules: [...more, ...given] }, facts);
        for (const tool of toolsOf(list)) {
          const { effect } = before.decide(tool, ANN);
          hold(after.decide(tool, ANN).effect === effect, `${tool.canonical} is no longer ${effect}`);
          const strictness = STRICTNESS[stricter.decide(tool, ANN).effect];
          hold(strictness >= STRICTNESS[effect], `${tool.canonical} is less than ${effect}`);
        }
      }),
      RUNS,
    );
  });

  it("about one: a rule that names a tool is about that tool and no other, however names are cut (POL-1) (CANON-7)", () => {
    fc.assert(
      fc.property(sources, effect, fc.nat(), (list, given, pick) => {
        const tools = toolsOf([...list, ...list.flatMap((source) => recut(source, pick))]);
        const chosen = tools[pick % Math.max(1, tools.length)];
        if (chosen === undefined || chosen.toolName === "") return;
        const parsed = parseToolPattern(chosen.canonical);
        if (!parsed.ok) throw new Error(parsed.problem.message);
        const otherwise = given === "allow" ? "deny" : "allow";
        const policy = buildPolicy({ default: otherwise, rules: [{ effect: given, tool: [parsed.value] }] });
        for (const tool of tools) {
          const isMeant = policy.decide(tool, ANN).rule === "rules[0]";
          hold(isMeant === isNamed(tool, chosen, given), `${tool.canonical} for ${chosen.canonical}`);
        }
        const { server, toolbox } = chosen;
        const owner = { server: [server], ...(toolbox === undefined ? {} : { toolbox: [toolbox] }) };
        const ofOwner = buildPolicy({ default: otherwise, rules: [{ effect: given, ...owner }] });
        for (const tool of tools) {
          const isMeant = ofOwner.decide(tool, ANN).rule === "rules[0]";
          const isOwner = tool.server === server && (toolbox === undefined || tool.toolbox === toolbox);
          hold(isMeant === isOwner, `${tool.canonical} of ${tool.server} for ${server}`);
        }
      }),
      RUNS,
    );
  });

  it("moved: what is denied or asked about under a server id is so under the next, whatever is on record, and no more is allowed (POL-1) (LOCK-5)", () => {
    fc.assert(
      fc.property(sources, rules, effect, fc.boolean(), (list, others, otherwise, isOnRecord) => {
        for (const old of list) {
          // A server that chooses its names has the same under every id. What was configured is known from the lock alone.
          if (old.names === "canonical" || (old.integration !== undefined && !isOnRecord)) continue;
          const { integration: _, ...rest } = old;
          const moved: ToolSource = { ...rest, server: "moved", formerly: [old.server] };
          const lock = buildSnapshot([{ ...old, tools: ["first"] }]).nextLock(["openai"]);
          const formerServers = buildFormerServers([moved], () => (isOnRecord ? [lock] : []));
          const [some] = toolsOf([old]);
          const named = parseToolPattern(some?.canonical ?? "");
          const about = named.ok ? [{ ...named.value, tool: "*" }] : undefined;
          const given = about === undefined ? [] : [{ effect: others[0]?.effect ?? "deny", tool: about }];
          const input = { default: otherwise, rules: [...given, ...others] };
          const blind = buildPolicy(input);
          const policy = buildPolicy(input, {
            formerNames: buildFormerNames([], { formerServers }),
            formerServers,
          });
          const before = new Map(toolsOf([old]).map((tool) => [tool.raw, blind.decide(tool, ANN)]));
          for (const tool of toolsOf([moved])) {
            const { effect: was = "allow", rule: by = "default" } = before.get(tool.raw) ?? {};
            const { effect: now } = policy.decide(tool, ANN);
            const isHeld = by === "default" || STRICTNESS[now] >= STRICTNESS[was];
            hold(isHeld, `${tool.canonical} is no longer ${was}`);
            const isAllowed = now === "allow" && blind.decide(tool, ANN).effect !== "allow";
            hold(!isAllowed, `${tool.canonical} is allowed by an old name`);
          }
        }
      }),
      RUNS,
    );
  });

  it("unpersuaded: nothing that an untrusted server says of a tool makes a decision laxer (POL-1)", () => {
    fc.assert(
      fc.property(
        rules,
        effect,
        hints,
        fc.array(fc.record({ tool: pattern, hints }), { maxLength: 3 }),
        (given, otherwise, declared, annotations) => {
          const policy = buildPolicy({ default: otherwise, rules: given, annotations }, facts);
          const [silent] = toolsOf([{ server: "a", tools: ["get"] }]);
          const [telling] = toolsOf([{ server: "a", tools: [{ name: "get", annotations: declared }] }]);
          if (silent === undefined || telling === undefined) return;
          const before = policy.decide(silent, ANN);
          const after = policy.decide(telling, ANN);
          hold(
            STRICTNESS[after.effect] >= STRICTNESS[before.effect],
            `${before.effect} became ${after.effect}`,
          );
        },
      ),
      RUNS,
    );
  });

  it("hidden: no spelling leads to a denied tool, or tells of it (POL-1) (GW-6)", () => {
    fc.assert(
      fc.property(sources, fc.nat(), fc.constantFrom(...listProfiles()), (list, pick, profile) => {
        const snapshot = buildSnapshot(list);
        const { tools } = snapshot.catalog;
        const chosen = tools[pick % Math.max(1, tools.length)];
        if (chosen === undefined || chosen.toolName === "") return;
        const parsed = parseToolPattern(chosen.canonical);
        if (!parsed.ok) throw new Error(parsed.problem.message);
        const policy = buildPolicy({ default: "allow", rules: [{ effect: "deny", tool: [parsed.value] }] });
        const visible = buildVisibleTools(policy, tools, ANN);
        const table = snapshot.namesFor(profile);
        const names = { toolNamed: table.toolNamed, suggest: () => table.tools.map(({ name }) => name) };
        const isDenied = (tool: Tool) => isNamed(tool, chosen, "deny");
        hold(!visible.tools.some(isDenied), "it is listed");
        const nothing = visible.hide("nothing", snapshot.resolve("nothing"), names);
        for (const text of spellingsOf(chosen, [table.nameOf(chosen) ?? ""])) {
          const answer = visible.hide(text, snapshot.resolve(text, { profile }), names);
          if (answer.outcome === "resolved") hold(!isDenied(answer.tool), `${text} leads to it`);
          if (answer.outcome === "ambiguous") hold(!answer.candidates.some(isDenied), `${text} names it`);
          if (answer.outcome === "retired")
            hold(answer.canonical !== chosen.canonical, `${text} tells of it`);
          if (answer.outcome !== "unknown" || nothing.outcome !== "unknown") continue;
          hold(same(answer.suggestions, nothing.suggestions), `${text} suggests otherwise`);
          hold(answer.steps.length === 0 && answer.warnings.length === 0, `${text} tells how far it got`);
        }
      }),
      { numRuns: isLong ? 1_000 : 200 },
    );
  });

  it("blind: a name means what it would mean without the hidden tools, but for names given to them (POL-1) (GW-6)", () => {
    fc.assert(
      fc.property(
        sources,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        fc.constantFrom("universal", "openai", "claude-code", "canonical", "mcp"),
        (given, picks, profile) => {
          const known = buildSnapshot(given).catalog.tools;
          const chosen = picks.flatMap((pick) => known[pick % Math.max(1, known.length)] ?? []);
          // Another server lists what the names of these tools may look like.
          const names = chosen.flatMap((tool) => spellingsOf(tool, []));
          const list = [
            ...given,
            { server: "ev", tools: [...new Set(names)] },
            { server: "ew", tools: names.slice(0, 9) },
          ];
          const { nextLock } = buildSnapshot(list);
          const lock = nextLock(listProfiles());
          const snapshot = buildSnapshot(list, { lock });
          const tool = chosen.flatMap(({ canonical }) => {
            const parsed = parseToolPattern(canonical);
            return parsed.ok ? [parsed.value] : [];
          });
          if (tool.length === 0) return;
          const policy = buildPolicy({ default: "allow", rules: [{ effect: "deny", tool }] });
          const visible = buildVisibleTools(policy, snapshot.catalog.tools, ANN);
          const hidden = snapshot.catalog.tools.filter((each) => !visible.isVisible(each));
          const hiddenKeys = new Set(hidden.map(({ key }) => key));
          const without = withoutTools(list, lock, (key) => hiddenKeys.has(key));
          const resolve = createVisibleResolver({
            snapshot: { tools: snapshot },
            choice: { profile: profileNamed(snapshot, profile), as: undefined },
            visible,
            names: { toolNamed: () => undefined },
          });
          const onRecord = namesGiven(snapshot, profile, hidden);
          const texts = [...names, ...visible.tools.flatMap(({ raw, canonical }) => [raw, canonical])];
          for (const text of texts) {
            for (const context of [{}, { server: "ev" }, { server: chosen[0]?.server ?? "" }]) {
              const { resolution, denied } = resolve(text, context);
              const met = meaningOf(resolution);
              if (isGiven(text, onRecord)) {
                const stated = without.catalog.tools.some(
                  (each) => each.raw === text && each.server === context.server,
                );
                if (onRecord.has(text) && !stated) hold(met === "unknown", `${text} leads to ${met}`);
                continue;
              }
              const expected = meaningOf(without.resolve(text, { profile, context }));
              hold(met === expected, `${text} in ${JSON.stringify(context)}: ${met}, not ${expected}`);
              hold(denied === undefined || met === "unknown", `${text} is answered and on record as denied`);
            }
          }
        },
      ),
      { numRuns: isLong ? 1_000 : 60 },
    );
  });
});

/** The names under which a caller was shown these tools: public and canonical ones. */
function namesGiven(snapshot: Snapshot, profile: string, tools: readonly Tool[]): ReadonlySet<string> {
  const tables = [profile, "openai", "cursor"].map((id) => snapshot.namesFor(id));
  const names = tables.flatMap((table) => tools.flatMap((tool) => table.nameOf(tool) ?? []));
  return new Set([...names, ...tools.map(({ canonical }) => canonical)]);
}

/** A name as it is, encoded, or as clients send it. */
function isGiven(text: string, names: ReadonlySet<string>): boolean {
  const decoded = decodeTransport(text);
  const plain = decoded.ok ? decoded.value : text;
  return [text, plain].some((each) => names.has(each) || names.has(each.replace(/^mcp__?onym_{1,2}/, "")));
}

function meaningOf(resolution: Resolution): string {
  switch (resolution.outcome) {
    case "resolved":
      return resolution.tool.key;
    case "ambiguous":
      return `one of ${resolution.candidates.map(({ key }) => key).sort()}`;
    default:
      return resolution.outcome;
  }
}

function profileNamed({ profiles }: Snapshot, id: string): Profile {
  return profiles.find((each) => each.id === id) as Profile;
}

/** What a caller would be told if the tools that are hidden from it had never been there: neither listed nor on record. */
function withoutTools(
  list: readonly ToolSource[],
  lock: Lock,
  isHidden: (key: ToolKey) => boolean,
): Snapshot {
  const keep = <T>(map: ReadonlyMap<T, unknown>, keyOf: (entry: never) => ToolKey) =>
    new Map([...map].filter((entry) => !isHidden(keyOf(entry as never))));
  const without: Lock = {
    tools: keep(lock.tools, ([key]: [ToolKey]) => key) as Lock["tools"],
    profiles: new Map(
      [...lock.profiles].map(([id, given]) => {
        const names = keep(given.names, ([, { key }]: [string, { key: ToolKey }]) => key);
        return [id, { ...given, names: names as typeof given.names }];
      }),
    ),
  };
  const rest = list.map(({ tools, ...source }): ToolSource => {
    const isKept = (tool: ToolSource["tools"][number]) =>
      !isHidden(toolKeyOf({ ...source, raw: typeof tool === "string" ? tool : tool.name }));
    return { ...source, tools: tools.filter(isKept) };
  });
  return buildSnapshot(rest, { lock: without });
}

/** The same letters on other servers: what joins to one text belongs to several. */
function recut({ server, tools }: ToolSource, at: number): readonly ToolSource[] {
  const joint = ["_", "__", ".", "-", "/"][at % 5] ?? "_";
  return tools.slice(0, 2).flatMap((tool, index) => {
    const parts = `${server}${joint}${typeof tool === "string" ? tool : tool.name}`.split(joint);
    const cut = 1 + (at % parts.length);
    const head = parts.slice(0, cut).join(joint);
    return [{ server: head, version: 50 + index, tools: [parts.slice(cut).join(joint), parts.join(joint)] }];
  });
}

function spellingsOf(tool: Tool, names: readonly string[]): readonly string[] {
  const { canonical, server, raw, toolbox, integration, label } = tool;
  // A lone surrogate has no percent-encoding.
  const encoded = /\p{Cs}/u.test(canonical) ? canonical : encodeURIComponent(canonical);
  return [
    ...names,
    ...names.map((name) => name.toUpperCase()),
    canonical,
    encoded,
    canonical.toUpperCase(),
    canonical.replace("/", "~"),
    canonical.replace(/@\d+/g, "@latest"),
    canonical.replace(/@(\d+)/g, "@v$1"),
    `${integration}/${raw}`,
    `${integration}_${raw}`,
    `${label}_${raw}`,
    `${label}_${raw}_2`,
    `${server}.${raw}`,
    `${server}/${raw}`,
    `mcp__${server}__${raw}`,
    `mcp_${server}__${raw}`,
    `mcp__onym__${label}_${raw}`,
    `${toolbox ?? "dev"}__${server}__${raw}`,
    raw,
  ];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, at) => text === b[at]);
}

/** Cheaper than an assertion library in a loop of thousands. */
function hold(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
