import { buildSnapshot, type Tool } from "@onym/core";
import { describe, expect, it } from "vitest";
import { policyOf, toolOf, toolsOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import { runAtOnce } from "../model/run-slices.js";
import type { RuleOwner } from "./compile-rule.js";
import { buildFormerNames } from "./former-names.js";

const ANN = { principal: "ann" };

function effectOf(written: WrittenPolicy, source: Parameters<typeof toolOf>[0], principal = "ann") {
  return policyOf(written).decide(toolOf(source), { principal }).effect;
}

describe("rules match what a tool is (POL-1) (CANON-7)", () => {
  const send = { server: "mail", tools: ["send"] };
  const boxed = { toolbox: "dev", server: "fs", tools: ["read"] };

  it.each([
    ["its canonical name", { tool: "mail@1/send@1" }, send, true],
    ["a list, of which one does", { tool: ["x@1/y@1", "mail@1/send@1"] }, send, true],
    ["a glob over the tool", { tool: "mail@1/se*" }, send, true],
    ["a glob over the integration", { tool: "m*l/send" }, send, true],
    ["another tool", { tool: "mail@1/send_all@1" }, send, false],
    ["another case", { tool: "mail@1/SEND@1" }, send, false],
    ["another integration", { tool: "mails@1/send@1" }, send, false],
    ["another version of the integration", { tool: "mail@2/send" }, send, false],
    ["another version of the tool", { tool: "mail/send@2" }, send, false],
    ["the server's id", { server: "mail" }, send, true],
    ["a glob over ids", { server: "m?il" }, send, true],
    ["another server", { server: "mai" }, send, false],
    ["the toolbox", { toolbox: "dev" }, boxed, true],
    ["another toolbox", { toolbox: "de" }, boxed, false],
    ["any toolbox, for a tool in none", { toolbox: "*" }, send, false],
    ["its canonical name, in every toolbox", { tool: "fs@1/read@1" }, boxed, true],
    ["its canonical name, in its toolbox", { tool: "dev:fs@1/read@1" }, boxed, true],
    ["a glob over the toolbox in front", { tool: "d?*:fs/read" }, boxed, true],
    ["the same name in another toolbox", { tool: "prod:fs@1/read@1" }, boxed, false],
    ["a toolbox in front, for a tool in none", { tool: "*:mail/send" }, send, false],
    ["the caller", { caller: "a*" }, send, true],
    ["another caller", { caller: "bob" }, send, false],
    ["all conditions", { tool: "mail/*", server: "mail", caller: "ann" }, send, true],
    ["all but one", { tool: "mail/*", server: "mail", caller: "bob" }, send, false],
    ["no condition", {}, send, true],
  ])("by %s", (_, conditions, source, isMeant) => {
    for (const effect of ["deny", "ask", "allow"] as const) {
      const otherwise = effect === "deny" ? "allow" : "deny";
      const decided = effectOf({ default: otherwise, rules: [{ effect, ...conditions }] }, source);
      expect(decided).toBe(isMeant ? effect : otherwise);
    }
  });

  it("says which rule spoke, the first of the effect that won, and why", () => {
    const policy = policyOf({
      default: "ask",
      rules: [
        { effect: "allow", server: "mail" },
        { effect: "deny", tool: "mail@*/send", caller: ["ci", "bot-*"], note: "people only" },
        { effect: "deny", caller: "ci" },
      ],
    });
    expect(policy.decide(toolOf(send), ANN)).toEqual({
      effect: "allow",
      rule: "rules[0]",
      why: 'allow where server is "mail"',
    });
    expect(policy.decide(toolOf(send), { principal: "ci" })).toEqual({
      effect: "deny",
      rule: "rules[1]",
      why: 'deny where tool is "mail@*/send" and caller is "ci" or "bot-*" ("people only")',
    });
    expect(policy.decide(toolOf({ server: "docs", tools: ["x"] }), ANN)).toMatchObject({
      effect: "ask",
      rule: "default",
    });
  });

  it("confines a caller to toolboxes, whatever rules say", () => {
    const policy = policyOf({ default: "allow", rules: [{ effect: "allow" }] });
    const decide = (source: typeof send, toolboxes: string[]) =>
      policy.decide(toolOf(source), { ...ANN, toolboxes });
    expect(decide(boxed, ["dev"]).effect).toBe("allow");
    expect(decide(boxed, ["ops"])).toMatchObject({ effect: "deny", rule: "toolboxes" });
    expect(decide(send, ["dev"])).toMatchObject({ effect: "deny", rule: "toolboxes" });
    expect(decide(boxed, []).effect).toBe("deny");
  });

  it("tells of rules that are about no tool at all", () => {
    const policy = policyOf({
      rules: [
        { effect: "deny", tool: "mail@1/snd" },
        { effect: "deny", tool: "mail@1/send" },
      ],
    });
    const idle = (tools: readonly Tool[], unlisted?: readonly RuleOwner[]) =>
      runAtOnce(policy.idleRuleSteps({ tools }, unlisted)).map(({ rule }) => rule);
    expect(idle([toolOf(send)])).toEqual(["rules[0]"]);
    // A server that has not answered may have such a tool.
    const away = { server: "away", toolbox: undefined, integration: "mail" };
    expect(idle([toolOf(send)], [away])).toEqual([]);
    expect(idle([toolOf(send)], [{ ...away, integration: "other" }])).toEqual(["rules[0]"]);
  });
});

describe("what else is asked of a policy (POL-1)", () => {
  const tool = toolOf({ server: "mail", tools: ["send"] });
  const BOB = { principal: "bob" };

  it("a rule about one toolbox is not about the same server in another", () => {
    const [dev, prod] = toolsOf([
      { toolbox: "dev", server: "fs", tools: ["read"] },
      { toolbox: "prod", server: "fs", tools: ["read"] },
    ]);
    const policy = policyOf({ rules: [{ effect: "deny", toolbox: "dev" }] });
    expect([dev, prod].map((each) => each && policy.decide(each, ANN).effect)).toEqual(["deny", "allow"]);
    // Which of them is asked about first makes no difference.
    const again = policyOf({ rules: [{ effect: "deny", toolbox: "dev" }] });
    expect([prod, dev].map((each) => each && again.decide(each, ANN).effect)).toEqual(["allow", "deny"]);
  });

  it("each of several globs counts, and all conditions are told in words", () => {
    const policy = policyOf({
      rules: [{ effect: "deny", tool: ["a@1/b", "mail@1/send"], server: "m*", caller: ["ann", "bo?"] }],
    });
    expect(policy.decide(tool, BOB)).toEqual({
      effect: "deny",
      rule: "rules[0]",
      why: 'deny where tool is "a@1/b" or "mail@1/send" and server is "m*" and caller is "ann" or "bo?"',
    });
    const boxed = policyOf({
      rules: [{ effect: "deny", toolbox: "dev", annotations: { readOnlyHint: false } }],
    });
    const inBox = toolOf({ toolbox: "dev", server: "fs", tools: ["x"] });
    expect(boxed.decide(inBox, ANN).why).toBe('deny where toolbox is "dev" and readOnlyHint is false');
    expect(policyOf({ rules: [{ effect: "deny" }] }).decide(tool, ANN).why).toBe("deny everything");
  });

  it("many tools are decided about as each by itself, for each caller", () => {
    const policy = policyOf({
      rules: [
        { effect: "deny", caller: "bob" },
        { effect: "ask", caller: "ann" },
      ],
    });
    for (const subject of [ANN, BOB, { principal: "eve" }, { ...ANN, toolboxes: ["dev"] }])
      expect(policy.decideAll([tool], subject).get(tool.key)).toEqual(policy.decide(tool, subject));
  });

  it("everything that speaks about a call is listed, for its caller alone", () => {
    const policy = policyOf({
      newTools: "deny",
      rules: [
        { effect: "allow", server: "mail" },
        { effect: "ask", caller: "bob" },
      ],
    });
    const rulesOf = (subject: Parameters<typeof policy.matches>[1], isNew?: () => boolean) =>
      policy.matches(tool, subject, isNew).map(({ rule }) => rule);
    expect(rulesOf(ANN)).toEqual(["rules[0]"]);
    expect(rulesOf(BOB)).toEqual(["rules[0]", "rules[1]"]);
    expect(rulesOf(ANN, () => true)).toEqual(["rules[0]", "newTools"]);
    expect(rulesOf({ ...ANN, toolboxes: ["dev"] })).toEqual(["toolboxes", "rules[0]"]);
    const silent = policyOf({ rules: [{ effect: "deny", server: "docs" }] });
    expect(silent.matches(tool, ANN).map(({ rule }) => rule)).toEqual(["default"]);
    expect(silent.matches(tool, { ...ANN, toolboxes: [] }).map(({ rule }) => rule)).toEqual(["toolboxes"]);
  });

  it("a stranger's word names the rule that it meets where the default says the same", () => {
    const source = { server: "fs", tools: [{ name: "x", annotations: { readOnlyHint: true } }] };
    const policy = policyOf({
      default: "ask",
      rules: [{ effect: "ask", annotations: { readOnlyHint: true } }],
    });
    expect(policy.decide(toolOf(source), ANN).rule).toBe("rules[0]");
    expect(policy.matches(toolOf(source), ANN).map(({ rule }) => rule)).toEqual(["rules[0]", "default"]);
  });

  it("general rules are never idle, others are where nothing is there (POL-5)", () => {
    const idle = (rule: object) =>
      runAtOnce(
        policyOf({ rules: [{ effect: "deny", ...rule }] }).idleRuleSteps({
          tools: [],
          prompts: [],
          resources: [],
        }),
      );
    for (const rule of [{}, { caller: "bob" }, { annotations: { readOnlyHint: true } }])
      expect(idle(rule)).toEqual([]);
    for (const rule of [
      { server: "mail" },
      { toolbox: "dev" },
      { annotations: { readOnlyHint: true }, server: "x" },
    ])
      expect(idle(rule)).toMatchObject([{ rule: "rules[0]", patterns: [] }]);
    expect(idle({ tool: "mail@1/x" })).toMatchObject([{ about: "tools", patterns: [{ text: "mail@1/x" }] }]);
    expect(idle({ prompt: "mail@1/y" })).toMatchObject([
      { about: "prompts", patterns: [{ text: "mail@1/y" }] },
    ]);
  });

  it("a tool that is gone is mentioned only where nothing could have denied it (GW-6)", () => {
    const may = (written: WrittenPolicy, subject = ANN) =>
      policyOf(written).mayMention("docs@1/gone@1", subject);
    expect(may({})).toBe(true);
    expect(may({ newTools: "ask" })).toBe(true);
    expect(may({ newTools: "deny" })).toBe(false);
    expect(may({ rules: [{ effect: "allow" }, { effect: "ask", tool: "docs@1/gone" }] })).toBe(true);
    expect(may({ rules: [{ effect: "deny", server: "mail" }] })).toBe(false);
    expect(may({ rules: [{ effect: "deny", tool: "docs@1/gone" }] })).toBe(false);
    expect(may({ rules: [{ effect: "deny", tool: "docs@1/other" }] })).toBe(true);
    expect(may({ rules: [{ effect: "deny", caller: "bob" }] })).toBe(true);
    expect(policyOf({ rules: [{ effect: "deny", tool: "docs@1/x" }] }).mayMention("", ANN)).toBe(false);
  });
});

describe("versions (CANON-3) (POL-1)", () => {
  const versions = [
    { server: "v1", integration: "crm", version: 1, tools: ["drop", { name: "drop2", version: 2 }] },
    { server: "v2", integration: "crm", version: 2, tools: ["drop"] },
  ];
  const reached = (tool: string, effect: "allow" | "deny") => {
    const policy = policyOf({ default: effect === "deny" ? "allow" : "deny", rules: [{ effect, tool }] });
    return toolsOf(versions)
      .filter((each) => policy.decide(each, ANN).effect === effect)
      .map(({ canonical }) => canonical);
  };

  it("are all meant by a denial that names none, and only the first by an allowance", () => {
    expect(reached("crm/drop*", "deny")).toEqual(["crm@1/drop@1", "crm@1/drop2@2", "crm@2/drop@1"]);
    expect(reached("crm/drop*", "allow")).toEqual(["crm@1/drop@1"]);
  });

  it("are meant as written, where they are written", () => {
    expect(reached("crm@2/drop*", "deny")).toEqual(["crm@2/drop@1"]);
    expect(reached("crm@*/drop*", "allow")).toEqual(["crm@1/drop@1", "crm@2/drop@1"]);
    expect(reached("crm@*/drop*@*", "allow")).toHaveLength(3);
    expect(reached("crm@v1/drop*@2", "allow")).toEqual(["crm@1/drop2@2"]);
  });
});

describe("where other systems fail open (POL-1)", () => {
  it("a rule for a does not reach a__b, and one for a server not the server whose id it starts", () => {
    const tools = toolsOf([
      { server: "s", tools: ["a", "a__b", "a_b", "a.b"] },
      { server: "a", tools: ["b"] },
      { server: "a__b", tools: ["c"] },
    ]);
    const policy = policyOf({ default: "deny", rules: [{ effect: "allow", tool: "s@1/a@1" }] });
    const allowed = tools.filter((tool) => policy.decide(tool, ANN).effect === "allow");
    expect(allowed.map(({ canonical }) => canonical)).toEqual(["s@1/a@1"]);
    const byServer = policyOf({ default: "deny", rules: [{ effect: "allow", server: "a" }] });
    const ofServer = tools.filter((tool) => byServer.decide(tool, ANN).effect === "allow");
    expect(ofServer.map(({ server }) => server)).toEqual(["a"]);
  });

  it("a rule for foo.bar does not reach foo_bar, nor the suite foo, nor the other way round", () => {
    const names = ["foo.bar", "foo_bar", "foo-bar", "foobar", "foo/bar", "FOO.BAR", "foo"];
    const tools = toolsOf([{ server: "s", tools: names }]);
    for (const name of names) {
      const policy = policyOf({ default: "deny", rules: [{ effect: "allow", tool: `s@1/${name}@1` }] });
      const allowed = tools.filter((tool) => policy.decide(tool, ANN).effect === "allow");
      expect(allowed.map(({ raw }) => raw)).toEqual([name]);
    }
  });

  it("a sanitised name does not inherit what the plain one is allowed", () => {
    const tools = toolsOf([{ server: "s", tools: ["read_file", "read file", "read.file", "rеad_file"] }]);
    const policy = policyOf({ default: "deny", rules: [{ effect: "allow", tool: "s@1/read_file@1" }] });
    expect(tools.filter((tool) => policy.decide(tool, ANN).effect === "allow")).toHaveLength(1);
  });

  it("a raw name that looks canonical, or like another's, is its own server's all the same", () => {
    const tools = toolsOf([
      { server: "evil", tools: ["mail@1/send@1", "mail__send", "send", "mail/send"] },
      { server: "mail", tools: ["send"] },
    ]);
    const policy = policyOf({ default: "deny", rules: [{ effect: "allow", tool: "mail@*/send@*" }] });
    const allowed = tools.filter((tool) => policy.decide(tool, ANN).effect === "allow");
    expect(allowed.map(({ server }) => server)).toEqual(["mail"]);
  });

  it("text that means something in patterns of other kinds is only text", () => {
    const tools = toolsOf([{ server: "s", tools: ["a|b", "a", "__proto__", "constructor", "[a]", ".*"] }]);
    const policy = policyOf({
      default: "deny",
      rules: [{ effect: "allow", tool: ["s@1/a|b@1", "s@1/[a]"] }],
    });
    const allowed = tools.filter((tool) => policy.decide(tool, ANN).effect === "allow");
    expect(allowed.map(({ raw }) => raw)).toEqual(["[a]", "a|b"]);
  });
});

describe("declared renames (POL-1) (LOCK-2)", () => {
  const formerNames = buildFormerNames([
    { from: "mail/post", to: "Mail@v1/dispatch@1" },
    { from: "mail@1/dispatch@1", to: "mail@1/send@1" },
    { from: "mail@1/send@1", to: "mail@1/post@1" },
    { from: "old_flat_name", to: "mail@1/send@1" },
  ]);
  const tool = toolOf({ server: "mail", tools: ["send"] });

  it("are followed back over every step, circles too", () => {
    expect(new Set(formerNames(tool))).toEqual(
      new Set(["mail@1/dispatch@1", "mail@1/post@1", "old_flat_name"]),
    );
  });

  it("are followed from what is on record, too (LOCK-5)", () => {
    const key = tool.key;
    const recorded = buildFormerNames([{ from: "mail/a", to: "mail/b" }], {
      lineageOf: () => ({
        line: [{ key, canonical: "Mail@v1/b" }, { key }, { key, canonical: tool.canonical }],
      }),
    });
    expect(recorded(tool)).toEqual(["mail@1/b@1", "mail@1/a@1"]);
    const none = buildFormerNames([{ from: "mail/a", to: "mail/b" }], { lineageOf: () => ({ line: [] }) });
    expect(none(tool)).toEqual([]);
    expect(buildFormerNames([])(tool)).toEqual([]);
  });

  it("carry denials and questions along a recorded line, whatever the server lists, and never an allowance (LOCK-5)", () => {
    const server = "mail";
    const lock = buildSnapshot([{ server, tools: ["post"] }]).nextLock(["openai"]);
    const renames = [{ from: "mail@1/post@1", to: "mail@1/send@1" }];
    const renamed = buildSnapshot([{ server, tools: ["send"] }], { lock, renames }).nextLock(["openai"]);
    const effects = (tools: readonly string[], effect: "allow" | "ask" | "deny", name: string) => {
      const { catalog, lineageOf } = buildSnapshot([{ server, tools }], { lock: renamed });
      const policy = policyOf(
        { default: effect === "allow" ? "deny" : "allow", rules: [{ effect, tool: name }] },
        { formerNames: buildFormerNames([], { lineageOf }) },
      );
      return catalog.tools.map((each) => `${each.raw} ${policy.decide(each, ANN).effect}`);
    };
    for (const effect of ["deny", "ask"] as const)
      for (const name of ["mail@1/post@1", "mail@1/send@1"]) {
        expect(effects(["send"], effect, name)).toEqual([`send ${effect}`]);
        expect(effects(["post"], effect, name)).toEqual([`post ${effect}`]);
        expect(effects(["post", "send"], effect, name)).toEqual([`post ${effect}`, `send ${effect}`]);
      }
    expect(effects(["post", "send"], "allow", "mail@1/post@1")).toEqual(["post allow", "send deny"]);
    expect(effects(["send"], "allow", "mail@1/post@1")).toEqual(["send deny"]);
    expect(effects(["post", "send"], "allow", "mail@1/send@1")).toEqual(["post deny", "send allow"]);
  });

  it("carry denials and questions along, and never an allowance", () => {
    const decide = (effect: "allow" | "ask" | "deny", name: string) =>
      policyOf(
        { default: effect === "allow" ? "deny" : "allow", rules: [{ effect, tool: name }] },
        { formerNames },
      ).decide(tool, ANN);
    expect(decide("deny", "mail@1/post@1")).toMatchObject({ effect: "deny", former: "mail@1/post@1" });
    expect(decide("ask", "mail@*/disp*").effect).toBe("ask");
    expect(decide("allow", "mail@1/post@1").effect).toBe("deny");
    expect(decide("allow", "mail@1/send@1").effect).toBe("allow");
    expect(decide("deny", "mail@2/post").effect).toBe("allow");
  });
});

it("follows a tool from another integration, and a former name that left its version open (POL-1)", () => {
  const facts = { formerNames: () => ["post@1/letter@1", "post@latest/parcel@3"] };
  const tool = toolOf({ server: "mail", tools: ["send"] });
  for (const name of ["post@1/letter@1", "post/*", "post@7/parcel@3"]) {
    const policy = policyOf({ rules: [{ effect: "deny", tool: name }] }, facts);
    expect(policy.decide(tool, ANN).effect, name).toBe("deny");
  }
  const other = policyOf({ rules: [{ effect: "deny", tool: "post@7/parcel@2" }] }, facts);
  expect(other.decide(tool, ANN).effect).toBe("allow");
});

describe("new tools (POL-1)", () => {
  const tool = toolOf({ server: "mail", tools: ["send"] });
  const decide = (written: WrittenPolicy, isNew: boolean) => policyOf(written).decide(tool, ANN, () => isNew);

  it("are asked about where that is wanted, even where a rule allows them, and stay denied", () => {
    const allow = { effect: "allow", tool: "mail@*/*" } as const;
    expect(decide({ newTools: "ask", rules: [allow] }, true)).toMatchObject({
      effect: "ask",
      rule: "newTools",
    });
    expect(decide({ newTools: "ask", rules: [allow] }, false).rule).toBe("rules[0]");
    expect(decide({ newTools: "allow" }, true).effect).toBe("allow");
    expect(decide({ newTools: "ask", rules: [{ effect: "deny" }] }, true).effect).toBe("deny");
    expect(decide({ newTools: "ask", default: "deny" }, true).effect).toBe("deny");
    expect(decide({ newTools: "ask", rules: [{ effect: "ask" }] }, true).rule).toBe("rules[0]");
    expect(policyOf({ newTools: "ask" }).decide(tool, ANN).effect).toBe("allow");
    for (const effect of ["ask", "deny"] as const)
      expect(decide({ newTools: effect }, true).why).toBe(
        `${effect}, because this tool was not there when the server, as configured now, was first seen`,
      );
  });

  it("are denied where that is wanted, and no longer once they are admitted", () => {
    for (const otherwise of ["allow", "ask"] as const) {
      const written = { newTools: "deny", default: otherwise } as const;
      expect(decide(written, true)).toMatchObject({ effect: "deny", rule: "newTools" });
      let isNew = true;
      const policy = policyOf(written);
      const effects = () => [
        policy.decide(tool, ANN, () => isNew).effect,
        policy.decideAll([tool], ANN, () => isNew).get(tool.key)?.effect,
      ];
      expect(effects()).toEqual(["deny", "deny"]);
      isNew = false;
      expect(effects()).toEqual([otherwise, otherwise]);
    }
  });
});

describe("a server that gave way to one with nearly the same id (NAME-8)", () => {
  const [small, large] = toolsOf([
    { server: "github", tools: ["search"] },
    { server: "GitHub", tools: ["search"] },
  ]);

  it("stays denied and asked about under the integration that its id makes, and is not allowed by it (POL-1)", () => {
    for (const effect of ["deny", "ask", "allow"] as const) {
      const otherwise = effect === "deny" ? "allow" : "deny";
      const policy = policyOf({ default: otherwise, rules: [{ effect, tool: "github@1/search@1" }] });
      expect(small && policy.decide(small, ANN).effect).toBe(effect);
      expect(large && policy.decide(large, ANN).effect).toBe(effect === "allow" ? otherwise : effect);
      if (large !== undefined && effect !== "allow")
        expect(policy.decide(large, ANN)).toMatchObject({ former: "github@1/search@1" });
    }
  });
});

describe("rules follow renames into toolboxes (POL-1) (CANON-7)", () => {
  const [dev, prod] = toolsOf([
    { toolbox: "dev", server: "fs", tools: ["read"] },
    { toolbox: "prod", server: "fs", tools: ["read"] },
  ]);
  const effects = (to: string, tool: string): readonly unknown[] => {
    const formerNames = buildFormerNames([{ from: "fs@1/old@1", to }]);
    const policy = policyOf({ rules: [{ effect: "deny", tool }] }, { formerNames });
    return [dev, prod].map((each) => each && policy.decide(each, ANN).effect);
  };

  it.each([
    ["dev:fs@1/read@1", "fs/old", ["deny", "allow"]],
    ["dev:fs@1/read@1", "dev:fs/old", ["deny", "allow"]],
    ["dev:fs@1/read@1", "prod:fs/old", ["allow", "allow"]],
    ["fs@1/read@1", "fs/old", ["deny", "deny"]],
    ["fs@1/read@1", "prod:fs/old", ["allow", "deny"]],
  ])("to %s: a denial of %s", (to, tool, expected) => expect(effects(to, tool)).toEqual(expected));
});

it("matches many tools in steps beforehand, each once (SAFE-4)", () => {
  const tools = toolsOf([{ server: "fs", tools: Array.from({ length: 250 }, (_, n) => `read_${n}`) }]);
  const read: string[] = [];
  const formerNames = ({ raw }: Tool): readonly string[] => {
    read.push(raw);
    return [];
  };
  const policy = policyOf({ rules: [{ effect: "deny", tool: "fs@1/read_7" }] }, { formerNames });
  expect([...policy.matchSteps(tools)]).toHaveLength(2);
  expect(read).toHaveLength(250);
  const decided = policy.decideAll(tools, { principal: "ann" });
  expect(read).toHaveLength(250);
  expect([...decided.values()].filter(({ effect }) => effect === "deny")).toHaveLength(1);
});
