import { describe, expect, it } from "vitest";
import { OnymError } from "../../model/onym-error.js";
import { readConfig } from "../read-config.js";

const SERVERS = {
  mcpServers: { mail: { tools: ["send"] }, off: { command: "x", disabled: true } },
  toolboxes: { dev: { mcpServers: { fs: { tools: [] } } }, ops: { mcpServers: { fs: { tools: [] } } } },
};

function read(value: object) {
  return readConfig(JSON.stringify({ ...SERVERS, ...value }), {
    file: "onym.json",
    folder: "/project",
    isClientFile: false,
    env: {},
    readText: () => ({ reason: "no" }),
  });
}

function mistake(policy: unknown): string {
  try {
    read({ policy });
  } catch (error) {
    if (error instanceof OnymError) return `${error.message} ${error.hint}`;
  }
  return "";
}

const ruleFor = (tool: unknown) => ({ default: "allow", rules: [{ effect: "deny", tool }] });

describe("a policy", () => {
  it("has rules about resources and prompts (POL-9)", () => {
    const { policy } = read({
      policy: {
        rules: [
          { effect: "deny", resource: "file:///*", server: "mail" },
          { effect: "ask", prompt: ["dev:fs@1/sum*"] },
        ],
      },
    });
    expect(policy.rules.map(({ resource, prompt }) => [resource, prompt?.map(({ text }) => text)])).toEqual([
      [["file:///*"], undefined],
      [undefined, ["dev:fs@1/sum*"]],
    ]);
    for (const [rule, message] of [
      [{ tool: "mail@1/send", resource: "*" }, /Nothing meets both "tool" and "resource"/],
      [{ prompt: "mail@1/x", annotations: { readOnlyHint: true } }, /"annotations" and "prompt"/],
      [{ prompt: "sum" }, /"sum" is not a canonical name/],
      [{ resource: [] }, /An empty list matches nothing/],
    ] as const)
      expect(mistake({ rules: [{ effect: "deny", ...rule }] })).toMatch(message);
    expect(mistake({ rules: [{ effect: "deny", tool: "mail@1/send", annotations: {} }] })).toBe("");
  });

  it("has every default where the config says nothing (limits: DEFAULT_AUDIT_BYTES of policy-config) (POL-1)", () => {
    const { policy, audit } = read({});
    expect(policy).toEqual({
      default: "allow",
      rules: [],
      annotations: [],
      trusted: [],
      newTools: "allow",
      ask: { when: "fail", waitMs: 45_000 },
    });
    expect(audit).toEqual({
      arguments: false,
      retentionDays: undefined,
      maxBytes: 1_073_741_824,
      anchor: undefined,
      onFailure: "deny",
    });
  });

  it("is read with its patterns taken apart and its servers found (POL-1) (POL-3) (POL-4)", () => {
    const { policy, audit, notes } = read({
      policy: {
        default: "ask",
        rules: [
          { effect: "deny", tool: "mail@*/del_*@v2", caller: ["ci", "bot-*"], note: "no" },
          { effect: "allow", server: "mail", annotations: { readOnlyHint: true } },
        ],
        annotations: { "mail/send": { destructiveHint: false } },
        trusted: ["mail", "off", { server: "fs", toolbox: "ops" }],
        newTools: "ask",
        ask: { when: "wait", waitMs: 10 },
      },
      audit: { arguments: true, retentionDays: 30, maxBytes: 5000, anchor: "a.jsonl", onFailure: "allow" },
    });
    expect(policy.rules[0]).toEqual({
      effect: "deny",
      tool: [
        {
          text: "mail@*/del_*@v2",
          integration: "mail",
          integrationVersion: "any",
          tool: "del_*",
          toolVersion: 2,
        },
      ],
      server: undefined,
      toolbox: undefined,
      caller: ["ci", "bot-*"],
      annotations: undefined,
      note: "no",
    });
    expect(policy.rules[1]).toMatchObject({ server: ["mail"], annotations: { readOnlyHint: true } });
    expect(policy.annotations).toMatchObject([
      { tool: { tool: "send", toolVersion: undefined }, hints: { destructiveHint: false } },
    ]);
    expect(policy.trusted).toEqual([
      { server: "mail", toolbox: undefined },
      { server: "off", toolbox: undefined },
      { server: "fs", toolbox: "ops" },
    ]);
    expect(policy).toMatchObject({ default: "ask", newTools: "ask", ask: { when: "wait", waitMs: 10 } });
    expect(audit).toEqual({
      arguments: true,
      retentionDays: 30,
      maxBytes: 5000,
      anchor: "a.jsonl",
      onFailure: "allow",
    });
    expect(notes).toEqual([]);
  });

  it("remarks on rules about servers and toolboxes that are not there", () => {
    const rules = [{ effect: "deny", server: ["mial", "m*"], toolbox: "development" }];
    expect(read({ policy: { rules } }).notes).toEqual([
      'policy.rules[0] is about the server "mial", which this file does not have. Did you mean "mail"?',
      'policy.rules[0] is about the toolbox "development", which this file does not have.',
    ]);
    const boxed = [{ effect: "deny", tool: ["test:fs/*", "*:fs/*"] }];
    expect(read({ policy: { rules: boxed } }).notes).toEqual([
      'policy.rules[0] is about the toolbox "test", which this file does not have.',
    ]);
  });
});

describe("a rule that would not mean what it says is refused, with place and way out (CFG-2)", () => {
  it.each([
    [ruleFor("send"), 'policy.rules[0].tool: "send" is not a canonical name.'],
    [ruleFor("send"), 'Did you mean "*@*/send@*"?'],
    [ruleFor(["mail/send", "mail_send"]), "policy.rules[0].tool[1]: "],
    [ruleFor("send"), "Of a public name, onym names shows the canonical one."],
    // A public name, in whatever style: the canonical name it leads to (POL-5).
    [ruleFor("mail_send"), 'Did you mean "mail@1/send@1"?'],
    [ruleFor("mail.send.now"), 'Did you mean "mail@1/send.now@1"?'],
    [ruleFor("mcp__onym__mail_send"), 'Did you mean "mail@1/send@1"?'],
    [ruleFor("mail@1~send@1"), 'Did you mean "mail@1/send@1"?'],
    [ruleFor("Mail@1/send"), 'Integrations are lower case: write "mail@1/send".'],
    [ruleFor("my mail/send"), "is not an integration"],
    [ruleFor("/send"), "is not an integration"],
    [ruleFor("my box:mail/send"), "is not the id of a toolbox"],
    [ruleFor("a:b:mail/send"), "is not the id of a toolbox"],
    [ruleFor("dev:Mail/send"), 'Integrations are lower case: write "dev:mail/send".'],
    [ruleFor("mail@1/"), 'Write "mail@1/*" for all of them.'],
    [ruleFor("mail/@2"), 'Write "mail/*@2" for all of them.'],
    [ruleFor("mail@01/send"), "A version in"],
    [ruleFor("mail@1@2/send"), "A version in"],
    [ruleFor("mail@latest/send"), "A version in"],
    [ruleFor("mail/a@b"), 'If the @ belongs to the tool\'s name, write "mail/a@b@*".'],
    [ruleFor("mail@1?/send"), "A version in"],
    [ruleFor([]), "policy.rules[0].tool: An empty list matches nothing"],
    [ruleFor(""), "An empty text matches nothing"],
    [{ rules: [{ effect: "deny", server: [] }] }, "policy.rules[0].server: An empty list"],
    [{ rules: [{ effect: "deny", caller: ["a", ""] }] }, "policy.rules[0].caller: An empty text"],
    [{ rules: [{ effect: "allow", server: "mail" }] }, 'Add "default": "deny"'],
    [{ annotations: { send: {} } }, 'policy.annotations.send: "send" is not a canonical name.'],
    [{ annotations: { ["__proto__"]: {} } }, "is not a canonical name"],
    [{ trusted: ["mial"] }, 'There is no server "mial" to trust. Did you mean "mail"?'],
    [{ trusted: ["fs"] }, 'Several servers are called "fs".'],
    [{ trusted: [{ server: "fs", toolbox: "x" }] }, 'There is no server "fs" in the toolbox "x"'],
    [{ default: "block" }, 'policy.default: Should be "allow" or "ask" or "deny", is "block".'],
    [{ rules: [{ effect: "deny", tools: "x" }] }, 'There is no key "tools" here. Did you mean "tool"?'],
    [{ rules: [{ tool: "a/b" }] }, "policy.rules[0].effect: This is missing"],
    [
      { rules: [{ effect: "deny", annotations: { readOnly: true } }] },
      "policy.rules[0].annotations.readOnly",
    ],
    [{ rules: [{ effect: "deny", annotations: { readOnlyHint: "yes" } }] }, "Should be true or false"],
    [{ ask: { when: "never" } }, "policy.ask.when"],
    [{ newTools: "hide" }, "policy.newTools"],
  ])("%j", (policy, told) => {
    expect(mistake(policy)).toContain(told);
  });
});

it("keeps the audit section strict", () => {
  expect(() => read({ audit: { retentionDays: 0 } })).toThrow("audit.retentionDays");
  expect(() => read({ audit: { maxBytes: 0 } })).toThrow("audit.maxBytes");
  expect(() => read({ audit: { onFailure: "ignore" } })).toThrow("audit.onFailure");
  expect(() => read({ audit: { args: true } })).toThrow('no key "args"');
});
