import { buildSnapshot } from "@onym/core";
import { describe, expect, it } from "vitest";
import { policyOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import { findIdleRules, type IdleRulesInput } from "./find-idle-rules.js";

const snapshot = buildSnapshot([
  { server: "mail", tools: ["send", "purge"] },
  { server: "chat", tools: ["send"] },
  { server: "news", tools: ["send"] },
  { server: "wire", tools: ["send"] },
]);
type Rule = NonNullable<WrittenPolicy["rules"]>[number];

function find(rule: Rule, more: Partial<IdleRulesInput> = {}): ReturnType<typeof findIdleRules> {
  return findIdleRules({ policy: policyOf({ rules: [rule] }), snapshot, unlisted: [], ...more });
}

describe("rules that are about nothing there is (POL-5)", () => {
  it("are warnings with the rule, its words and what was meant", () => {
    expect(find({ effect: "deny", tool: "mail@1/mail_purge@1", note: "never" })).toEqual([
      {
        code: "idle-rule",
        severity: "warning",
        message:
          'policy.rules[0] is about no tool there is: deny where tool is "mail@1/mail_purge@1" ("never").',
        fix: '"mail_purge" leads to mail@1/purge@1: write that.',
        tools: [],
        servers: [],
      },
    ]);
    expect(find({ effect: "deny", tool: "mail@1/purge@1" })).toEqual([]);
  });

  it.each<[string, Rule, string]>([
    [
      "three of several tools",
      { effect: "deny", tool: "post@1/send" },
      '"send" leads to chat@1/send@1 or mail@1/send@1 or news@1/send@1: write which.',
    ],
    ["a tool whose name is near", { effect: "deny", tool: "mail@1/purg@1" }, "Did you mean mail@1/purge@1?"],
    [
      "how tools are written",
      { effect: "deny", tool: "zzz@1/qqqqqqqq@1" },
      "Rules match canonical names, such as chat@1/send@1; onym names shows them.",
    ],
    [
      "how tools are written, for a server",
      { effect: "deny", server: "zzz" },
      "Rules match canonical names, such as chat@1/send@1; onym names shows them.",
    ],
  ])("name %s", (_, rule, fix) => {
    expect(find(rule)).toMatchObject([{ fix }]);
  });

  it("say how prompts and addresses are matched", () => {
    const items = { prompts: [], resources: [] };
    expect(find({ effect: "deny", prompt: "mail@1/x" }, { items })).toMatchObject([
      {
        message: 'policy.rules[0] is about no prompt there is: deny where prompt is "mail@1/x".',
        fix: "Rules match canonical names of prompts; the list of prompts shows them as onym/canonicalName.",
      },
    ]);
    expect(find({ effect: "deny", resource: "file:///x" }, { items })).toMatchObject([
      {
        message: 'policy.rules[0] is about no resource there is: deny where resource is "file:///x".',
        fix: "Rules match addresses as the server lists them, without the onym:// that tells servers apart.",
      },
    ]);
  });

  it("are none where there is nothing at all, where a server has not answered, or where items are not known", () => {
    const empty = buildSnapshot([]);
    const rule: Rule = { effect: "deny", tool: "docs@1/x" };
    expect(find(rule, { snapshot: empty })).toEqual([]);
    expect(find(rule, { snapshot: empty, items: { prompts: [], resources: [] } })).toEqual([]);
    const [prompt] = buildSnapshot([{ server: "docs", tools: ["y"] }]).catalog.tools;
    const resource = {
      kind: "resource",
      owner: { server: "docs", toolbox: undefined, integration: "docs" },
      uri: "a",
    } as const;
    expect(
      find(rule, { snapshot: empty, items: { prompts: prompt === undefined ? [] : [prompt] } }),
    ).toMatchObject([
      { fix: "Rules match canonical names, such as server@1/tool@1; onym names shows them." },
    ]);
    expect(find(rule, { snapshot: empty, items: { resources: [resource] } })).toHaveLength(1);
    expect(find(rule, { unlisted: [{ server: "d", toolbox: undefined, integration: "docs" }] })).toEqual([]);
    expect(find({ effect: "deny", prompt: "docs@1/x" })).toEqual([]);
  });
});

it("looks up nothing for a rule that was told before (SAFE-4)", () => {
  const rule: Rule = { effect: "deny", tool: "docs@1/nothing" };
  const [first] = find(rule);
  const unread = {
    ...snapshot,
    indexSteps: () => {
      throw new Error("every spelling of every tool is looked at");
    },
  };
  const told = new Set([first?.message ?? ""]);
  expect(find(rule, { told, snapshot: unread })).toEqual([]);
  expect(() => find(rule, { snapshot: unread })).toThrow("every spelling");
});
