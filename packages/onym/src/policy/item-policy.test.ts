import { buildSnapshot, EMPTY_LOCK, type Tool } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import { describe, expect, it } from "vitest";
import { policyOf, toolOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import { runAtOnce } from "../model/run-slices.js";
import type { PolicyItem } from "./compile-rule.js";
import { buildFormerServers } from "./former-names.js";

const DOCS = { server: "docs", toolbox: undefined, integration: "docs" };
const ANN = { principal: "ann" };

function promptOf(server: string, name: string, toolbox?: string): PolicyItem {
  const [prompt] = buildCatalog([{ server, ...(toolbox === undefined ? {} : { toolbox }), tools: [name] }])
    .tools as readonly [Tool];
  return { kind: "prompt", prompt };
}

const resourceOf = (uri: string, owner = DOCS): PolicyItem => ({ kind: "resource", owner, uri });

function effectOf(written: WrittenPolicy, item: PolicyItem, principal = "ann"): string {
  return policyOf(written).decideItem(item, { principal }).effect;
}

describe("rules about prompts and resources (POL-9)", () => {
  const summary = promptOf("docs", "summary");
  const page = resourceOf("file:///work/a.md");
  it.each<[string, object, PolicyItem, boolean]>([
    ["the server", { server: "docs" }, summary, true],
    ["the server", { server: "docs" }, page, true],
    ["another server", { server: "doc" }, page, false],
    ["the caller", { caller: "a*" }, page, true],
    ["another caller", { caller: "bob" }, summary, false],
    ["no condition", {}, page, true],
    ["a tool of every name", { tool: "*@*/*@*" }, summary, false],
    ["a tool of every name", { tool: "*@*/*@*" }, page, false],
    ["annotations, which only tools have", { annotations: { destructiveHint: true } }, page, false],
    ["the prompt's canonical name", { prompt: "docs@1/summary@1" }, summary, true],
    ["a glob over prompts", { prompt: "*@*/sum*" }, summary, true],
    ["another prompt", { prompt: "docs@1/summaries" }, summary, false],
    ["every prompt", { prompt: "*@*/*" }, page, false],
    ["the resource's address", { resource: "file:///work/a.md" }, page, true],
    ["a glob over addresses", { resource: "file:///work/*" }, page, true],
    ["another address", { resource: "file:///work/a" }, page, false],
    ["every resource", { resource: "*" }, summary, false],
    ["an address of another server", { resource: "*", server: "mail" }, page, false],
    ["the toolbox", { toolbox: "dev" }, promptOf("docs", "summary", "dev"), true],
    ["any toolbox, for a resource in none", { toolbox: "*" }, page, false],
    [
      "a toolbox in front of the name",
      { prompt: "prod:docs@1/summary" },
      promptOf("docs", "summary", "dev"),
      false,
    ],
  ])("match %s: %j", (_, conditions, item, isMeant) => {
    expect(effectOf({ rules: [{ effect: "deny", ...conditions }] }, item)).toBe(isMeant ? "deny" : "allow");
    expect(effectOf({ default: "deny", rules: [{ effect: "allow", ...conditions }] }, item)).toBe(
      isMeant ? "allow" : "deny",
    );
  });

  it("are not about tools", () => {
    const tool = toolOf({ server: "docs", tools: ["summary"] });
    for (const conditions of [{ resource: "*" }, { prompt: "*@*/*@*" }]) {
      const policy = policyOf({ rules: [{ effect: "deny", ...conditions }] });
      expect(policy.decide(tool, ANN).effect).toBe("allow");
      expect(policy.mayMention("docs@1/gone@1", ANN)).toBe(true);
    }
  });

  it("let nothing pass under a default of deny that no rule names, and confine callers", () => {
    expect(effectOf({ default: "deny", rules: [{ effect: "allow", tool: "docs@1/*" }] }, page)).toBe("deny");
    const policy = policyOf({ rules: [] });
    expect(policy.decideItem(page, { ...ANN, toolboxes: ["dev"] }).rule).toBe("toolboxes");
  });

  it.each([
    "FILE:///secret/a",
    "file:///public/../secret/a",
    "file:///public/%2e%2e/secret/a",
    "file:///public/%252e%252E/secret/a",
    "file:///%73ecret/a",
    "file:////secret//a",
    "file:///.\\secret\\a",
    "file:///./secret/a",
    `file:///secret/${"a".repeat(9_000)}`,
  ])("are not evaded by another way to write an address: %s", (uri) => {
    expect(effectOf({ rules: [{ effect: "deny", resource: "file:///secret/*" }] }, resourceOf(uri))).toBe(
      "deny",
    );
    expect(
      effectOf(
        { default: "deny", rules: [{ effect: "allow", resource: "file:///public/*" }] },
        resourceOf(uri),
      ),
    ).toBe("deny");
  });

  it.each([
    ["https://api.example/secret", "https://api.example/secret?x=1"],
    ["https://api.example/secret", "https://api.example/secret#x"],
    ["https://api.example/secret", "https://api.example/secret/"],
    ["https://api.example/secret", "https://api.example/secret%3Fx"],
    ["https://api.example/secret", "https://api.example/secret%00.txt"],
    ["https://api.example/secret", "https://api.example:443/secret"],
    ["https://api.example/secret", "https://ann:pass@api.example/secret"],
    ["https://api.example/secret", "https://api.example/sec\tret"],
    ["http://127.0.0.1/*", "http://0x7f.1/x"],
    ["docs:///größe/*", "docs:///gr%C3%B6%C3%9Fe/a"],
    ["docs:///gr%C3%B6%C3%9Fe/*", "docs:///größe/a"],
    ["docs:///gr%c3%b6%c3%9fe/*", "docs:///gr%25C3%25B6%C3%9Fe/a"],
    ["docs:///a%20b", "docs:///a b"],
    ["docs:///a b", "docs:///a%20b"],
  ])("that restrict %j hold for %j, too", (resource, uri) => {
    expect(effectOf({ rules: [{ effect: "deny", resource }] }, resourceOf(uri))).toBe("deny");
  });

  it.each([
    ["https://api.example/find?q=*", "https://api.example/find?q=1", "allow"],
    ["docs:///pub%20lic/*", "docs:///pub%20lic/a", "allow"],
    ["docs:///%2A", "docs:///anything", "deny"],
    ["https://api.example/public", "https://api.example/public?x", "deny"],
  ])("that allow %j decide about %j: %s", (resource, uri, effect) => {
    expect(effectOf({ default: "deny", rules: [{ effect: "allow", resource }] }, resourceOf(uri))).toBe(
      effect,
    );
  });

  it("match ambiguous addresses where they restrict their scheme, and are idle all the same (POL-5)", () => {
    const rules = [
      { effect: "deny", resource: "file:///secret/*" },
      { effect: "ask", resource: "notes:///secret/*" },
    ] as const;
    const effects = ["file:///a/../b", "notes:///a/../b", "docs:///a/../b", "file:///a/b", "a/b"].map((uri) =>
      effectOf({ rules: [...rules] }, resourceOf(uri)),
    );
    expect(effects).toEqual(["deny", "ask", "allow", "allow", "deny"]);
    const policy = policyOf({ rules: [...rules] });
    expect(policy.decideItem(resourceOf("file:///a/../b"), ANN)).toMatchObject({ ambiguous: true });
    expect(policy.decideItem(resourceOf("file:///secret/b"), ANN)).not.toHaveProperty("ambiguous");
    const resources = [{ kind: "resource" as const, owner: DOCS, uri: "file:///a/../b" }];
    expect(runAtOnce(policy.idleRuleSteps({ tools: [], prompts: [], resources }))).toHaveLength(2);
  });

  it("say which servers a caller can see anything of", () => {
    const reaches = (written: WrittenPolicy, owner = DOCS) => policyOf(written).reaches(owner, ANN);
    expect(reaches({ rules: [] })).toBe(true);
    expect(reaches({ rules: [{ effect: "deny", server: "docs" }] })).toBe(false);
    expect(reaches({ rules: [{ effect: "deny", server: "docs", caller: "bob" }] })).toBe(true);
    expect(reaches({ rules: [{ effect: "deny", tool: "docs@*/*" }] })).toBe(true);
    expect(reaches({ default: "deny", rules: [] })).toBe(false);
    expect(reaches({ default: "deny", rules: [{ effect: "allow", server: "mail" }] })).toBe(false);
    expect(reaches({ default: "deny", rules: [{ effect: "allow", tool: "docs@1/a" }] })).toBe(true);
    expect(reaches({ default: "deny", rules: [{ effect: "ask", resource: "file:///*" }] })).toBe(true);
    expect(reaches({ default: "deny", rules: [{ effect: "allow", tool: "dev:docs@1/a" }] })).toBe(false);
  });

  it("tell which of them is about nothing there is (POL-5)", () => {
    const policy = policyOf({
      rules: [
        { effect: "deny", resource: "file:///other/*" },
        { effect: "deny", prompt: "docs@1/sumary" },
        { effect: "deny", resource: "file:///work/*" },
        { effect: "deny", server: "docs" },
      ],
    });
    const there = {
      tools: [],
      prompts: [],
      resources: [{ kind: "resource", owner: DOCS, uri: "file:///work/a" }],
    };
    const idle = runAtOnce(policy.idleRuleSteps(there as Parameters<typeof policy.idleRuleSteps>[0]));
    expect(idle.map(({ rule, about }) => [rule, about])).toEqual([
      ["rules[0]", "resources"],
      ["rules[1]", "prompts"],
    ]);
    // What is not known is not judged.
    expect(runAtOnce(policy.idleRuleSteps({ tools: [toolOf({ server: "docs", tools: ["x"] })] }))).toEqual(
      [],
    );
  });

  it("list everything that speaks about an item, or the default, or the confinement of the caller", () => {
    const policy = policyOf({
      default: "ask",
      rules: [
        { effect: "allow", resource: "file:///work/*" },
        { effect: "deny", server: "docs", caller: "bob" },
        { effect: "deny", tool: "docs@1/*" },
      ],
    });
    const rulesOf = (item: PolicyItem, subject: Parameters<typeof policy.matchesItem>[1]) =>
      policy.matchesItem(item, subject).map(({ rule }) => rule);
    expect(rulesOf(page, ANN)).toEqual(["rules[0]"]);
    expect(rulesOf(page, { principal: "bob" })).toEqual(["rules[0]", "rules[1]"]);
    expect(rulesOf(summary, ANN)).toEqual(["default"]);
    expect(rulesOf(page, { ...ANN, toolboxes: ["dev"] })).toEqual(["toolboxes"]);
    expect(policy.matchesItem(page, { ...ANN, toolboxes: [] })).toEqual([
      { effect: "deny", rule: "toolboxes", why: "deny, because the caller is confined to other toolboxes" },
    ]);
  });

  it("follow a prompt's former names where they restrict, and say by which", () => {
    const facts = { formerPrompts: () => ["docs@1/digest@1"] };
    const decide = (effect: "allow" | "deny") =>
      policyOf(
        { default: effect === "deny" ? "allow" : "deny", rules: [{ effect, prompt: "docs@1/digest" }] },
        facts,
      ).decideItem(summary, ANN);
    expect(decide("deny")).toEqual({
      effect: "deny",
      rule: "rules[0]",
      why: 'deny where prompt is "docs@1/digest"',
      former: "docs@1/digest@1",
    });
    expect(decide("allow").effect).toBe("deny");
    const itself = policyOf({ rules: [{ effect: "deny", prompt: "docs@1/summary" }] }, facts);
    expect(itself.decideItem(summary, ANN)).not.toHaveProperty("former");
  });

  it("say whether anything may have to be hidden, at all and from a caller", () => {
    const hides = (written: WrittenPolicy, toolboxes?: readonly string[]) => {
      const policy = policyOf(written);
      return [policy.mayHideItems, policy.hidesItems({ ...ANN, toolboxes })];
    };
    expect(hides({})).toEqual([false, false]);
    expect(hides({ default: "deny" })).toEqual([true, true]);
    expect(hides({ rules: [{ effect: "ask", server: "docs" }] })).toEqual([false, false]);
    expect(hides({ rules: [{ effect: "deny", tool: "docs@1/*" }] })).toEqual([false, false]);
    expect(hides({ rules: [{ effect: "allow" }, { effect: "deny", server: "docs" }] })).toEqual([true, true]);
    expect(hides({ rules: [{ effect: "deny", server: "docs", caller: "bob" }] })).toEqual([true, false]);
    expect(hides({}, ["dev"])).toEqual([false, true]);
  });

  it("let a confined caller see nothing of servers outside, and a denial of some things leave the rest", () => {
    const policy = policyOf({ rules: [{ effect: "deny", resource: "*" }] });
    expect(policy.reaches(DOCS, { ...ANN, toolboxes: ["dev"] })).toBe(false);
    expect(policy.reaches(DOCS, ANN)).toBe(true);
    expect(
      policyOf({ default: "deny", rules: [{ effect: "deny", tool: "docs@1/a" }] }).reaches(DOCS, ANN),
    ).toBe(false);
    expect(policyOf({ rules: [{ effect: "ask", server: "docs" }] }).reaches(DOCS, ANN)).toBe(true);
  });

  it("are not idle where a prompt is there that they name (POL-5)", () => {
    const idle = (rule: object, prompts: readonly Tool[]) =>
      runAtOnce(
        policyOf({ rules: [{ effect: "deny", ...rule }] }).idleRuleSteps({
          tools: [],
          prompts,
          resources: [],
        }),
      ).length;
    const prompts = summary.kind === "prompt" ? [summary.prompt] : [];
    expect(idle({ prompt: "docs@1/summary" }, prompts)).toBe(0);
    expect(idle({ prompt: "docs@1/other" }, prompts)).toBe(1);
    expect(idle({ prompt: "docs@1/summary" }, [])).toBe(1);
    expect(idle({ server: "docs" }, prompts)).toBe(0);
    expect(idle({ server: "mail" }, prompts)).toBe(1);
    expect(idle({ resource: "*" }, prompts)).toBe(1);
  });
});

/** What the lock of tools, or of prompts, has on record after `formerly` was removed from the config. */
function lockAfterRename() {
  const before = buildSnapshot([{ server: "old-docs", tools: ["read"] }]).nextLock(["openai"]);
  const renamed = buildSnapshot([{ server: "docs", formerly: ["old-docs"], tools: ["read"] }], {
    lock: before,
  });
  return renamed.nextLock(["openai"]);
}

/** The server does not answer while the rename is declared, and later lists other tools, or none. */
function lockAfterRenames() {
  let lock = buildSnapshot([{ server: "old-docs", tools: ["read"] }]).nextLock(["openai"]);
  for (const [server, formerly] of [
    ["new-docs", "old-docs"],
    ["docs", "new-docs"],
  ] as const)
    lock = buildSnapshot([{ server, formerly: [formerly], tools: [] }], { lock }).nextLock(["openai"]);
  return buildSnapshot([{ server: "docs", tools: ["write"] }], { lock }).nextLock(["openai"]);
}

describe.each([
  ["by the config", buildFormerServers([{ server: "docs", formerly: ["old-docs"] }, { server: "mail" }])],
  [
    "by the lock alone",
    buildFormerServers([{ server: "docs" }, { server: "mail" }], () => [lockAfterRename()]),
  ],
  ["by one lock of several", buildFormerServers([], () => [EMPTY_LOCK, lockAfterRename()])],
  ["twice, and lists none of its old tools", buildFormerServers([], () => [lockAfterRenames()])],
  [
    "by the lock, and by the config since",
    buildFormerServers([
      { server: "docs", formerly: ["mid"] },
      { server: "mid", formerly: ["old-docs"] },
    ]),
  ],
])("rules about a server that has another id now, %s (LOCK-5)", (_, formerServers) => {
  const decide = (rule: object, by: "deny" | "allow") => {
    const policy = policyOf(
      { default: by, rules: [{ effect: "ask", server: "old-docs", ...rule }] },
      { formerServers },
    );
    const docs = toolOf({ server: "docs", tools: ["read"] });
    const mail = toolOf({ server: "mail", tools: ["read"] });
    const prompt = promptOf("docs", "summary");
    return [
      policy.decide(docs, ANN).effect,
      policy.decide(mail, ANN).effect,
      policy.decideItem(prompt, ANN).effect,
      policy.decideItem(resourceOf("file:///a"), ANN).effect,
    ];
  };

  it("ask and deny under the old id, also where they name a tool", () => {
    expect(decide({}, "allow")).toEqual(["ask", "allow", "ask", "ask"]);
    expect(decide({ effect: "deny" }, "allow")).toEqual(["deny", "allow", "deny", "deny"]);
    expect(decide({ effect: "deny", tool: "*/read" }, "allow")).toEqual(["deny", "allow", "allow", "allow"]);
  });

  it("allow nothing under the old id", () => {
    expect(decide({ effect: "allow" }, "deny")).toEqual(["deny", "deny", "deny", "deny"]);
  });
});
