import { buildSnapshot, type Lock, type Tool, type ToolSource } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import { describe, expect, it } from "vitest";
import { policyOf, toolOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import { runAtOnce } from "../model/run-slices.js";
import type { PolicyFacts } from "./build-policy.js";
import { explainPolicy } from "./explain-policy.js";
import { buildFormerNames, buildFormerServers } from "./former-names.js";

const ANN = { principal: "ann" };

/** What a gateway knows of the servers in its config, with these locks in force. */
function factsOf(
  sources: readonly ToolSource[],
  locks: readonly Pick<Lock, "tools">[] = [],
  renames: Parameters<typeof buildFormerNames>[0] = [],
): PolicyFacts {
  const formerServers = buildFormerServers(sources, () => locks);
  return {
    formerNames: buildFormerNames(renames, { formerServers }),
    formerPrompts: buildFormerNames([], { formerServers }),
    formerServers,
  };
}

function lockOf(...sources: readonly ToolSource[]): Lock {
  return buildSnapshot(sources).nextLock(["openai"]);
}

const FRESH: ToolSource = { server: "fresh", formerly: ["old"], tools: ["delete_two"] };
const ERASED: ToolSource = { server: "fresh", tools: ["delete_two"] };

/** The lock after `formerly` was in force once. */
function lockAfter(moved: ToolSource, before: Lock): Lock {
  return buildSnapshot([moved], { lock: before }).nextLock(["openai"]);
}

describe("rules by names under a former server id hold for what the server lists later (POL-1) (LOCK-5)", () => {
  it.each<[string, string, ToolSource, readonly Lock[]]>([
    ["on a fresh lock", "old@1/*", FRESH, []],
    ["by a part of the name", "old@1/delete_*", FRESH, []],
    ["without a version", "old/delete_two", FRESH, []],
    ["where the lock knows other tools", "old@1/delete_*", FRESH, [lockOf({ server: "old", tools: ["ok"] })]],
    [
      "where only the lock of prompts does",
      "old@1/*",
      FRESH,
      [lockOf(), lockOf({ server: "old", tools: ["ok"] })],
    ],
    [
      "after the declaration was removed",
      "old@1/*",
      ERASED,
      [lockAfter({ ...FRESH, tools: ["ok"] }, lockOf({ server: "old", tools: ["ok"] }))],
    ],
    ["of an id that is not kebab", "my-files@1/*", { ...FRESH, formerly: ["My Files"] }, []],
    [
      "with the integration that was configured",
      "crm@3/*",
      FRESH,
      [lockOf({ server: "old", integration: "crm", version: 3, tools: ["ok"] })],
    ],
    ["with a version that is not on record", "old@2/*", { ...FRESH, version: 3 }, []],
    [
      "with the plain integration of an id that gave way (NAME-8)",
      "git-hub@1/*",
      { ...FRESH, formerly: ["Git_Hub"] },
      [lockOf({ server: "git-hub", tools: ["ok"] }, { server: "Git_Hub", tools: ["ok"] })],
    ],
    ["with an integration of its own now", "old@1/*", { ...FRESH, integration: "own", version: 2 }, []],
    ["of the first of several ids", "a@1/*", { ...FRESH, formerly: ["a", "b"] }, []],
    [
      "of the first, where only the last is on record",
      "a@1/*",
      { ...FRESH, formerly: ["a", "b"] },
      [lockOf({ server: "b", tools: ["ok"] })],
    ],
    ["in a toolbox", "dev:old@1/*", { ...FRESH, toolbox: "dev" }, []],
    ["in any toolbox (CANON-7)", "old@1/*", { ...FRESH, toolbox: "dev" }, []],
    [
      "with canonical names since",
      "old@1/*",
      { ...FRESH, names: "canonical", tools: ["fresh@1/delete_two@1"] },
      [lockOf({ server: "old", tools: ["ok"] })],
    ],
  ])("%s: %s", (_, name, source, locks) => {
    const tool = toolOf(source);
    const decide = (written: WrittenPolicy) =>
      policyOf(written, factsOf([source], locks)).decide(tool, ANN).effect;
    for (const effect of ["deny", "ask"] as const) {
      expect(decide({ rules: [{ effect, tool: name }] })).toBe(effect);
      const item = { kind: "prompt", prompt: tool } as const;
      const policy = policyOf({ rules: [{ effect, prompt: name }] }, factsOf([source], locks));
      expect(policy.decideItem(item, ANN).effect).toBe(effect);
    }
    expect(decide({ default: "deny", rules: [{ effect: "allow", tool: name }] })).toBe("deny");
    const annotations = { [name]: { openWorldHint: true }, "fresh@*/*": { openWorldHint: false } };
    const rules = [{ effect: "deny" as const, annotations: { openWorldHint: true } }];
    expect(decide({ rules, annotations })).toBe("deny");
  });

  it.each<[string, string, ToolSource, readonly Lock[]]>([
    ["another server", "old@1/*", { server: "other", tools: ["delete_two"] }, []],
    ["another tool", "old@1/delete_one", FRESH, []],
    ["another toolbox", "prod:old@1/*", { ...FRESH, toolbox: "dev" }, []],
    ["another version on record", "old@2/*", FRESH, [lockOf({ server: "old", tools: ["ok"] })]],
    [
      "the id, where another integration is on record",
      "old@1/*",
      FRESH,
      [lockOf({ server: "old", integration: "crm", tools: ["ok"] })],
    ],
    [
      "what the old server chose as the name of one tool (CANON-6)",
      "jira@1/*",
      FRESH,
      [lockOf({ server: "old", names: "canonical", speaksFor: ["jira"], tools: ["jira@1/ok@1"] })],
    ],
  ])("not for %s: %s", (_, name, source, locks) => {
    const facts = factsOf([source, ...(source === FRESH ? [] : [FRESH])], locks);
    const policy = policyOf({ rules: [{ effect: "deny", tool: name }] }, facts);
    expect(policy.decide(toolOf(source), ANN).effect).toBe("allow");
  });

  it.each([
    ["declared under the old id", { from: "old@1/erase@1", to: "old@1/delete_two@1" }, "old@1/erase"],
    ["declared under the new id", { from: "fresh@1/erase@1", to: "fresh@1/delete_two@1" }, "old@1/erase"],
    [
      "declared under the old id, for a rule about the new",
      { from: "old@1/erase@1", to: "old@1/delete_two@1" },
      "fresh@1/erase",
    ],
  ])("also through a rename %s", (_, rename, name) => {
    for (const toolbox of [undefined, "dev"]) {
      const source = { ...FRESH, ...(toolbox === undefined ? {} : { toolbox }) };
      const policy = policyOf({ rules: [{ effect: "deny", tool: name }] }, factsOf([source], [], [rename]));
      expect(policy.decide(toolOf(source), ANN).effect).toBe("deny");
    }
  });

  it("say which name they follow", () => {
    const policy = policyOf({ rules: [{ effect: "deny", tool: "old@1/*" }] }, factsOf([FRESH]));
    const [, line] = explainPolicy(policy, toolOf(FRESH), ANN);
    expect(line).toContain('follows its former name "old@1/delete_two@1"');
  });

  it("are not idle, also while the server does not answer (POL-5)", () => {
    const idle = (tool: string, tools: readonly Tool[], unlisted: readonly ToolSource[]) => {
      const policy = policyOf({ rules: [{ effect: "deny", tool }] }, factsOf([FRESH]));
      return runAtOnce(policy.idleRuleSteps({ tools }, buildCatalog(unlisted).servers)).length;
    };
    expect(idle("old@1/*", [toolOf(FRESH)], [])).toBe(0);
    expect(idle("old@1/later", [], [FRESH])).toBe(0);
    expect(idle("old@1/later", [toolOf(FRESH)], [])).toBe(1);
  });

  it("let a caller see that a server is there of which they leave something", () => {
    const facts = factsOf([FRESH]);
    const [owner] = buildCatalog([FRESH]).servers;
    const reaches = (effect: "allow" | "ask") =>
      owner && policyOf({ default: "deny", rules: [{ effect, tool: "old@1/*" }] }, facts).reaches(owner, ANN);
    expect(reaches("ask")).toBe(true);
    expect(reaches("allow")).toBe(false);
  });

  it.each<[string, string, readonly ToolSource[], readonly Lock[]]>([
    ["declared", "fresh@1/gone@1", [FRESH], []],
    ["in a toolbox", "dev:fresh@1/gone@1", [{ ...FRESH, toolbox: "dev" }], []],
    ["with an integration of its own", "own@2/gone@1", [{ ...FRESH, integration: "own", version: 2 }], []],
    [
      "on record",
      "fresh@1/gone@1",
      [],
      [lockAfter({ ...FRESH, tools: ["ok"] }, lockOf({ server: "old", tools: ["ok"] }))],
    ],
  ])("keep a tool unmentioned that is gone, %s", (_, canonical, sources, locks) => {
    const policy = policyOf({ rules: [{ effect: "deny", tool: "old@1/*" }] }, factsOf(sources, locks));
    expect(policy.mayMention(canonical, ANN)).toBe(false);
    expect(policy.mayMention("other@1/gone@1", ANN)).toBe(true);
  });

  it("go by the lock in force", () => {
    const locks: Lock[] = [];
    const formerServers = buildFormerServers([{ server: "fresh" }], () => locks);
    expect(formerServers.idsOf(toolOf(ERASED))).toEqual([]);
    locks.push(lockAfter({ ...FRESH, tools: ["ok"] }, lockOf({ server: "old", tools: ["ok"] })));
    expect(formerServers.idsOf(toolOf(ERASED))).toEqual(["old"]);
    expect(formerServers.startsOf(toolOf(ERASED))).toEqual([{ integration: "old", version: 1 }]);
  });
});
