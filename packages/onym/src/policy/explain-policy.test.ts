import { expect, it } from "vitest";
import { policyOf, toolOf } from "../../../../test/policy/policy-of.js";
import { explainItemPolicy, explainPolicy } from "./explain-policy.js";

it("tells every rule that matched, in order, and which decided (POL-1)", () => {
  const policy = policyOf(
    {
      rules: [
        { effect: "allow", server: "mail" },
        { effect: "ask", tool: "mail@1/post@1", note: "looks \u202E odd" },
        { effect: "deny", tool: "docs@1/*" },
        { effect: "ask", annotations: { destructiveHint: true } },
      ],
    },
    { formerNames: () => ["mail@1/post@1"] },
  );
  const tool = toolOf({ server: "mail", tools: [{ name: "send", annotations: { destructiveHint: false } }] });
  expect(explainPolicy(policy, tool, { principal: "ann\n" })).toEqual([
    'mail@1/send@1 for "ann\\u{000A}": ask, by rules[1].',
    '  rules[0]: allow where server is "mail" — outweighed: ask beats allow',
    '  rules[1]: ask where tool is "mail@1/post@1" ("looks \\u{202E} odd"), which follows its former name "mail@1/post@1" — decides',
    "  rules[3]: ask where destructiveHint is true — says the same",
    "  annotations: readOnlyHint false (default), destructiveHint true (default; the server, which is not trusted, says false), idempotentHint false (default), openWorldHint true (default)",
  ]);
});

it.each([
  { rules: [], why: "there are no rules" },
  { rules: [{ effect: "allow" as const, server: "docs" }], why: "no rule matches it for certain" },
])("says that the default decides, because $why", ({ rules, why }) => {
  const tool = toolOf({ server: "mail", tools: ["send"] });
  const policy = policyOf({ default: "deny", newTools: "ask", rules });
  expect(explainPolicy(policy, tool, { principal: "ann" }, () => true).slice(0, 3)).toEqual([
    'mail@1/send@1 for "ann": deny, by default.',
    `  default: deny, because ${why} — decides`,
    "  newTools: ask, because this tool was not there when the server, as configured now, was first seen — outweighed: deny beats ask",
  ]);
});

it("tells the same of a resource (POL-9)", () => {
  const policy = policyOf({
    rules: [
      { effect: "deny", resource: "file:///b" },
      { effect: "ask", server: "docs" },
      { effect: "allow", resource: "file:///*" },
      { effect: "deny", caller: "bob" },
    ],
  });
  const owner = { server: "docs", toolbox: undefined, integration: "docs" };
  const item = { kind: "resource", owner, uri: "file:///a" } as const;
  expect(explainItemPolicy(policy, { item, shown: "file:///a\u202e" }, { principal: "ann\n" })).toEqual([
    'file:///a\\u{202E} for "ann\\u{000A}": ask, by rules[1].',
    '  rules[1]: ask where server is "docs" — decides',
    '  rules[2]: allow where resource is "file:///*" — outweighed: ask beats allow',
  ]);
});

it.each([
  ["file:///a/../b", "for file: addresses"],
  ["fi\tle:///b", "about resources"],
])("tells why rules match the ambiguous address %j (POL-9)", (uri, which) => {
  const policy = policyOf({ rules: [{ effect: "deny", resource: "file:///c/*" }] });
  const owner = { server: "docs", toolbox: undefined, integration: "docs" };
  const item = { kind: "resource", owner, uri } as const;
  expect(explainItemPolicy(policy, { item, shown: "it" }, { principal: "ann" })).toEqual([
    'it for "ann": deny, by rules[0].',
    '  rules[0]: deny where resource is "file:///c/*" — decides',
    `  address: can be read in more than one way, so every deny and ask rule ${which} applies`,
  ]);
});
