import { describe, expect, it } from "vitest";
import type { CallId } from "../../identity/layers/call-id.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { type ApprovalKeys, approvalKeysOfCall, approvalKeysOfCatalogTool } from "../approval-keys.js";
import { type CallBinding, callBindingOf } from "../call-binding.js";
import { toolBindingOf } from "../tool-binding.js";
import { decideApproval } from "./decide-approval.js";
import { decideStanding } from "./decide-standing.js";
import { type ApprovalDecision, buildDecisionRecord, recordDecision } from "./decision-record.js";
import { formatDecisions } from "./format-decisions.js";
import { parseDecisions, type RestoredDecisions } from "./parse-decisions.js";
import { buildStandingRecord, type StandingDecision } from "./standing-record.js";

const c1 = callBindingOf({ callId: "c1" as CallId, definition: {}, arguments: { q: 1 } }) as CallBinding;
const bound = { definition: c1.definition, arguments: c1.arguments };
const bare = approvalKeysOfCall({ name: "lookup" }) as ApprovalKeys;
const deferred = approvalKeysOfCall(
  { name: "lookup", namespace: "lookup" },
  { allowBareAlias: true, includeLegacyDeferred: true },
) as ApprovalKeys;
const tool = { key: toolKeyOf({ server: "docs", raw: "search" }), definition: { description: "Finds" } };
const catalog = approvalKeysOfCatalogTool(tool.key);
const binding = toolBindingOf({ principal: "ann", launch: "npx docs", tool });
const approved: StandingDecision = { verdict: "approved", ...binding };
const boxed: StandingDecision = {
  verdict: "rejected",
  principal: "__proto__",
  tool: toolKeyOf({ toolbox: "dev", server: "docs", raw: "constructor" }),
};
const always = (keys: ApprovalKeys, verdict: "approved" | "rejected"): ApprovalDecision => ({
  kind: "always",
  keys,
  verdict,
});
const once = (keys: ApprovalKeys, call: CallBinding, verdict: "approved" | "rejected"): ApprovalDecision => ({
  kind: "call",
  keys,
  call,
  verdict,
});

const TEXT = `{
  "onymDecisions": 2,
  "always": [
    {"key":["bare","lookup"],"verdict":"approved"},
    {"key":["catalog",["namespaced","docs","search"]],"verdict":"rejected"}
  ],
  "calls": [
    {"callId":"c1","keys":[["deferred_top_level","lookup"],["namespaced","lookup","lookup"]],"verdict":"approved","definition":"${c1.definition}","arguments":"${c1.arguments}"},
    {"callId":"c1","keys":[["bare","lookup"]],"verdict":"rejected","definition":"${c1.definition}","arguments":"${c1.arguments}"}
  ],
  "tools": [
    {"principal":"__proto__","tool":["toolbox","dev","docs","constructor"],"verdict":"rejected"},
    {"principal":"ann","tool":["namespaced","docs","search"],"verdict":"approved","launch":"npx docs","digest":"${binding.digest}","definition":{"description":"Finds"}}
  ]
}
`;

const decisions = {
  record: buildDecisionRecord([
    always(catalog, "rejected"),
    once(deferred, c1, "approved"),
    always(bare, "approved"),
    once(bare, c1, "rejected"),
  ]),
  standing: buildStandingRecord([approved, boxed]),
};

function restore(text: string): RestoredDecisions {
  const parsed = parseDecisions(text);
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.value;
}

/** A file with these entries and no others. */
function file(entries: { readonly [section: string]: readonly unknown[] }): string {
  return JSON.stringify({ onymDecisions: 2, always: [], calls: [], tools: [], ...entries });
}

function codes(text: string): readonly string[] {
  return restore(text).problems.map(({ code }) => code);
}

describe("writing decisions", () => {
  it("gives one text for the same decisions, one a line (POL-2)", () => {
    expect(formatDecisions(decisions)).toBe(TEXT);
    const shuffled = {
      record: buildDecisionRecord([
        always(bare, "approved"),
        once(deferred, c1, "approved"),
        once(bare, c1, "rejected"),
        always(catalog, "rejected"),
      ]),
      standing: buildStandingRecord([boxed, approved]),
    };
    expect(formatDecisions(shuffled)).toBe(TEXT);
  });

  it("copes with a schema of a hundred thousand levels (POL-2)", () => {
    const inputSchema: unknown = JSON.parse(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
    const deep = toolBindingOf({ ...binding, tool: { key: tool.key, definition: { inputSchema } } });
    const standing = buildStandingRecord([{ verdict: "approved", ...deep }]);
    const restored = restore(formatDecisions({ record: buildDecisionRecord([]), standing }));
    expect(restored.problems).toEqual([]);
    expect(decideStanding(deep, restored.standing).outcome).toBe("approved");
  });
});

describe("restoring decisions", () => {
  it("gives back what was decided, and the same text again (ID-5, POL-2)", () => {
    const restored = restore(TEXT);
    expect(restored.problems).toEqual([]);
    expect(formatDecisions(restored)).toBe(TEXT);
    expect(restored.standing).toEqual(decisions.standing);
    expect(restored.record.always).toEqual(new Map([...decisions.record.always].reverse()));
    expect(decideApproval({ keys: bare, call: c1 }, restored.record).outcome).toBe("rejected");
    expect(decideApproval({ keys: deferred, call: c1 }, restored.record).outcome).toBe("rejected");
  });

  it("lets decisions made afterwards be the later ones (ID-5)", () => {
    const after = recordDecision(restore(TEXT).record, once(deferred, c1, "approved"));
    expect(decideApproval({ keys: deferred, call: c1 }, after).outcome).toBe("approved");
    const again = restore(formatDecisions({ record: after, standing: new Map() }));
    expect(decideApproval({ keys: deferred, call: c1 }, again.record).outcome).toBe("approved");
  });

  it.each([
    ["", "decisions-corrupt"],
    [TEXT.slice(0, -3), "decisions-corrupt"],
    ["null", "decisions-corrupt"],
    ["[]", "decisions-corrupt"],
    ["{}", "decisions-corrupt"],
    [TEXT.replace('Decisions": 2', 'Decisions": 3'), "decisions-newer"],
    [TEXT.replace('Decisions": 2', 'Decisions": 0'), "decisions-corrupt"],
    [TEXT.replace('Decisions": 2', 'Decisions": "1"'), "decisions-corrupt"],
    [TEXT.replace('Decisions": 2', 'Decisions": 2, "onymDecisions": 2'), "decisions-corrupt"],
    [TEXT.replace('Decisions": 2', 'Decisions": 2, "denied": []'), "decisions-corrupt"],
    [TEXT.replace('Decisions": 2', 'Decisions": 2, "__proto__": []'), "decisions-corrupt"],
    [TEXT.replace('"calls"', '"always"'), "decisions-corrupt"],
    [file({ tools: {} as never }), "decisions-corrupt"],
  ])("refuses %j as a whole (POL-2)", (text, code) => {
    expect(parseDecisions(text)).toMatchObject({ ok: false, problem: { code, severity: "error" } });
  });

  it("shows nothing of a broken file unescaped (SAFE-1)", () => {
    const parsed = parseDecisions("\u202e{");
    expect(parsed.ok || parsed.problem.message).not.toContain("\u202e");
  });

  const key = ["bare", "lookup"];
  const approval = { principal: "ann", tool: ["namespaced", "docs", "search"], verdict: "approved" };
  const whole = {
    ...approval,
    launch: "npx docs",
    digest: binding.digest,
    definition: { description: "Finds" },
  };
  it.each<[string, unknown]>([
    ["always", null],
    ["always", []],
    ["always", "approved"],
    ["always", { key }],
    ["always", { key, verdict: "Approved" }],
    ["always", { key, verdict: true }],
    ["always", { key, verdict: "approved", note: "" }],
    ["always", JSON.parse('{"key":["bare","lookup"],"verdict":"approved","__proto__":{}}')],
    ["always", { key: "lookup", verdict: "approved" }],
    ["always", { key: ["bare", ""], verdict: "approved" }],
    ["always", { key: ["bare", 5], verdict: "approved" }],
    ["always", { key: ["bare", "a", "b"], verdict: "approved" }],
    ["always", { key: ["namespaced", "a"], verdict: "approved" }],
    ["always", { key: ["any", "a"], verdict: "approved" }],
    ["always", { key: ["catalog", "a"], verdict: "approved" }],
    ["always", { key: ["catalog", ["namespaced", "a"]], verdict: "approved" }],
    ["always", { key: ["catalog", ["toolbox", "a", "b"]], verdict: "approved" }],
    ["always", { key: ["catalog", ["namespaced", "a", "b", "c"]], verdict: "approved" }],
    ["calls", { callId: "", keys: [key], verdict: "approved", ...bound }],
    ["calls", { callId: 5, keys: [key], verdict: "approved", ...bound }],
    ["calls", { callId: "c1", keys: [], verdict: "approved", ...bound }],
    ["calls", { callId: "c1", keys: key, verdict: "approved", ...bound }],
    ["calls", { callId: "c1", keys: [key, null], verdict: "approved", ...bound }],
    ["calls", { callId: "c1", keys: [key], verdict: "approved", ...bound, order: 9 }],
    ["calls", { callId: "c1", keys: [key], verdict: "approved" }],
    ["calls", { callId: "c1", keys: [key], verdict: "approved", definition: bound.definition }],
    ["calls", { callId: "c1", keys: [key], verdict: "rejected", definition: bound.definition }],
    ["calls", { callId: "c1", keys: [key], verdict: "approved", ...bound, arguments: "" }],
    ["calls", { callId: "c1", keys: [key], verdict: "approved", ...bound, definition: 5 }],
    ["tools", { ...whole, verdict: "always" }],
    ["tools", { ...whole, verdict: "rejected" }],
    ["tools", { ...whole, principal: undefined }],
    ["tools", { ...whole, principal: null }],
    ["tools", { ...whole, tool: tool.key }],
    ["tools", { ...whole, launch: 1 }],
    ["tools", { ...whole, digest: binding.digest.toUpperCase() }],
    ["tools", { ...whole, digest: "" }],
    ["tools", { ...whole, definition: null }],
    ["tools", { ...whole, definition: { description: "Finds " } }],
    ["tools", { ...whole, definition: { description: "Finds", name: "x" } }],
    ["tools", { ...whole, extra: 1 }],
    ["tools", approval],
  ])("drops the entry of %s that reads %j, with a finding (POL-2)", (section, entry) => {
    const restored = restore(file({ [section]: [entry] }));
    expect(restored.problems).toMatchObject([{ code: "decision-malformed", severity: "warning" }]);
    expect(restored.problems[0]?.message).toContain(`${section}[0]`);
    expect([restored.record.always.size, restored.record.calls.size, restored.standing.size]).toEqual([
      0, 0, 0,
    ]);
  });

  it.each<[string, unknown, string]>([
    ["always", null, "it is not an object"],
    ["always", [], "it is not an object"],
    ["always", 5, "it is not an object"],
    ["always", { key }, 'it has no "verdict"'],
    ["always", { key, verdict: "no", "a\u202e": 1 }, 'it has a field "a\\u{202E}" that is not known'],
    ["always", { key: 5, verdict: "approved" }, 'its "key" is no approval key'],
    ["always", { key, verdict: "no" }, 'its "verdict" is neither "approved" nor "rejected"'],
    [
      "calls",
      { callId: "", keys: [key], verdict: "approved", ...bound },
      'its "callId" is no text, or an empty one',
    ],
    [
      "calls",
      { callId: "c1", keys: [], verdict: "approved", ...bound },
      'its "keys" are not all approval keys',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "no", ...bound },
      'its "verdict" is neither "approved" nor "rejected"',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "approved", ...bound, definition: "" },
      'its "definition" is no digest',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "approved", ...bound, arguments: `${bound.arguments}0` },
      'its "arguments" are no digest',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "approved", ...bound, arguments: `x${bound.arguments}` },
      'its "arguments" are no digest',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "approved", ...bound, arguments: [bound.arguments] },
      'its "arguments" are no digest',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "rejected", arguments: bound.arguments },
      'it has no "definition"',
    ],
    [
      "calls",
      { callId: "c1", keys: [key], verdict: "rejected", more: 1 },
      'it has a field "more" that is not known',
    ],
    ["tools", { ...whole, principal: 5 }, 'its "principal" is no text'],
    ["tools", { ...whole, tool: 5 }, 'its "tool" is no tool'],
    ["tools", { ...approval, verdict: "no" }, 'its "verdict" is neither "approved" nor "rejected"'],
    ["tools", { ...whole, launch: 5 }, 'its "launch" is no text'],
    ["tools", { ...whole, digest: 5 }, 'its "digest" is no digest'],
    ["tools", { ...approval, launch: "x", digest: "5" }, 'its "digest" is no digest'],
    ["tools", { ...whole, definition: [] }, 'its "definition" is not the one that its "digest" is of'],
    [
      "tools",
      { ...approval, verdict: "rejected", definition: {} },
      'it has a field "definition" that is not known',
    ],
  ])(
    "says of the entry of %s that reads %j why it was dropped, and that nothing is allowed by it (POL-2)",
    (section, entry, reason) => {
      expect(restore(file({ [section]: [entry] })).problems).toEqual([
        {
          code: "decision-malformed",
          severity: "warning",
          message: `The decision ${section}[0] was dropped: ${reason}.`,
          fix: "Nothing is allowed because of it. Decide again when asked, or restore the file from a copy.",
        },
      ]);
    },
  );

  it.each([
    ["[]", "it is not an object"],
    ["null", "it is not an object"],
    ["5", "it is not an object"],
    ["{}", '"onymDecisions" is not 2'],
    [TEXT.replace('Decisions": 2', 'Decisions": "3"'), '"onymDecisions" is not 2'],
    [TEXT.replace('Decisions": 2', 'Decisions": 2, "onymDecisions": 2'), "it has a field twice"],
    [TEXT.replace('Decisions": 2', 'Decisions": 2, "denied": []'), "it has a field that is not known"],
    [file({ calls: {} as never }), '"calls" is not a list'],
  ])("says of the file %j why it cannot be read (POL-2)", (text, reason) => {
    expect(parseDecisions(text)).toEqual({
      ok: false,
      problem: {
        code: "decisions-corrupt",
        severity: "error",
        message: `The decisions cannot be read: ${reason}.`,
        fix: "Restore the file from a copy. Without it nothing is approved, and rejections are lost too.",
      },
    });
  });

  it("says which format a newer file has, and what is wrong with one that is no JSON (POL-2)", () => {
    expect(parseDecisions(TEXT.replace('Decisions": 2', 'Decisions": 3'))).toEqual({
      ok: false,
      problem: {
        code: "decisions-newer",
        severity: "error",
        message: "The decisions have format 3; this program knows formats up to 2.",
        fix: "Use the version of Onym that wrote them, or a later one.",
      },
    });
    expect(parseDecisions("{")).toMatchObject({
      problem: { message: expect.stringMatching(/^The decisions cannot be read: it is not JSON \(.+\)\.$/) },
    });
  });

  it("doubts everything that a call with a field twice may have spoken against (POL-2)", () => {
    const text = file({ always: [{ key, verdict: "approved" }], tools: [whole], calls: [5] }).replace(
      '"calls":[5]',
      `"calls":[{"callId":"x","callId":"y","keys":[["bare","other"]],"verdict":"approved"}]`,
    );
    const { record, standing, problems } = restore(text);
    expect([record.always.size, standing.size]).toEqual([0, 0]);
    expect(problems[0]?.message).toBe("The decision calls[0] was dropped: it has a field twice.");
    expect(problems[1]?.message).toBe(
      "The decision always[0] was dropped: another decision about the same tool cannot be read, or contradicts it.",
    );
  });

  it("doubts only what a lost decision about a key or a call was about (POL-2)", () => {
    const other = ["bare", "other"];
    const kept = (entries: { readonly [section: string]: readonly unknown[] }) => {
      const { record, standing } = restore(file(entries));
      return [
        ...record.always.keys(),
        ...[...record.calls.values()].map(({ verdict }) => verdict),
        standing.size,
      ];
    };
    const two = [
      { key, verdict: "approved" },
      { key: other, verdict: "approved" },
    ];
    expect(kept({ always: [...two, { key, verdict: "no" }], tools: [whole] })).toEqual([
      '["bare","other"]',
      1,
    ]);
    expect(
      kept({ always: two, calls: [{ callId: "c9", keys: [key], verdict: "no" }], tools: [whole] }),
    ).toEqual(['["bare","other"]', 1]);
    const call = { callId: "c1", keys: [key, other], verdict: "approved", ...bound };
    expect(kept({ calls: [call, { callId: "c9", keys: [["bare", "third"]], verdict: "no" }] })).toEqual([
      "approved",
      "approved",
      0,
    ]);
    // One of its keys is enough.
    expect(kept({ calls: [call, { callId: "c9", keys: [other], verdict: "no" }] })).toEqual([0]);
    expect(kept({ tools: [whole, { ...whole, principal: 5, verdict: "no" }] })).toEqual([0]);
    expect(
      kept({
        always: [
          { key: ["catalog", approval.tool], verdict: "approved" },
          { key: other, verdict: "approved" },
        ],
        tools: [{ ...whole, principal: 5, verdict: "no" }],
      }),
    ).toEqual(['["bare","other"]', 0]);
  });

  it("writes calls in the order in which they were decided, however they are kept (POL-2)", () => {
    const calls = ["c3", "c1", "c2"].map((callId) => ({ ...c1, callId: callId as CallId }));
    const record = buildDecisionRecord(calls.map((call) => once(bare, call, "approved")));
    const reversed = { ...record, calls: new Map([...record.calls].reverse()) };
    for (const each of [record, reversed]) {
      const text = formatDecisions({ record: each, standing: new Map() });
      expect([...text.matchAll(/"callId":"(c\d)"/g)].map(([, id]) => id)).toEqual(["c3", "c1", "c2"]);
      expect(text).toContain('"always": [],');
    }
    const several = buildDecisionRecord([
      once({ ...deferred, aliases: [...deferred.aliases].reverse() }, c1, "approved"),
    ]);
    expect(formatDecisions({ record: several, standing: new Map() })).toContain(
      '"keys":[["bare","lookup"],["deferred_top_level","lookup"],["namespaced","lookup","lookup"]]',
    );
  });

  it("keeps the others (POL-2)", () => {
    const restored = restore(file({ tools: [5, whole, { ...whole, principal: "bob" }] }));
    expect(restored.problems).toHaveLength(1);
    expect(restored.standing.size).toBe(2);
  });

  it("does not let a field that stands twice turn a rejection into an approval (POL-2)", () => {
    const twice = `{"onymDecisions":1,"calls":[],"tools":[],"always":[
      {"key":["bare","a"],"verdict":"approved"},
      {"key":["bare","lookup"],"verdict":"rejected","ver\\u0064ict":"approved"}]}`;
    const restored = restore(twice);
    expect(restored.problems).toMatchObject([{ message: expect.stringContaining("always[1]") }]);
    expect([...restored.record.always.keys()]).toEqual(['["bare","a"]']);
  });

  it("takes an approval with the entry that may have spoken against it (POL-2)", () => {
    const rejectedTool = { ...approval, verdict: "rejected" };
    const odd = { ...rejectedTool, note: "never" };
    expect(codes(file({ tools: [whole, odd] }))).toEqual(["decision-malformed", "decision-doubtful"]);
    expect(codes(file({ tools: [whole, { ...odd, principal: "bob" }] }))).toEqual(["decision-malformed"]);
    expect(codes(file({ tools: [whole, { ...odd, principal: 5 }] }))).toHaveLength(2);
    const callOdd = { callId: "c1", keys: [["catalog", approval.tool]], verdict: "rejcted" };
    expect(codes(file({ tools: [whole], calls: [callOdd] }))).toHaveLength(2);
    expect(
      codes(file({ always: [{ key, verdict: "approved" }], calls: [{ callId: "c1", keys: [key] }] })),
    ).toHaveLength(2);
    // The later rejection was kept under the other key of the same call.
    const earlier = { callId: "c1", keys: [key], verdict: "approved", ...bound };
    const later = { callId: "c1", keys: [["deferred_top_level", "lookup"]], verdict: "no" };
    expect(codes(file({ calls: [earlier, later] }))).toEqual(["decision-malformed", "decision-doubtful"]);
  });

  it("takes all that a lost rejection may have overruled where nobody can tell whose it was (POL-2)", () => {
    const good = { always: [{ key, verdict: "approved" }], tools: [whole] };
    const kept = (entries: { readonly [section: string]: readonly unknown[] }) => {
      const { record, standing } = restore(file({ ...good, ...entries }));
      return [record.always.size, standing.size];
    };
    expect(kept({ tools: [whole, null, { ...whole, tool: 5, verdict: "rejected" }] })).toEqual([1, 1]);
    expect(kept({ always: [...good.always, { key: 5, verdict: "rejected" }] })).toEqual([1, 0]);
    expect(kept({ calls: [{ callId: 5, keys: [key], verdict: "rejected" }] })).toEqual([0, 0]);
    expect(kept({ calls: [{ callId: "c1", keys: [key, 5], verdict: "rejected" }] })).toEqual([0, 0]);
    // What was an approval has overruled nothing.
    expect(kept({ calls: [{ callId: 5, keys: [], verdict: "approved", ...bound }] })).toEqual([1, 1]);
  });

  it("keeps only rejections of what is decided twice (POL-2)", () => {
    const rejectedTool = { ...approval, verdict: "rejected" };
    for (const tools of [
      [whole, rejectedTool],
      [rejectedTool, whole],
    ]) {
      const restored = restore(file({ tools }));
      expect(restored.problems).toMatchObject([{ code: "decision-doubtful" }]);
      expect(decideStanding(binding, restored.standing).outcome).toBe("rejected");
    }
    expect(restore(file({ tools: [whole, { ...whole, launch: "other" }] })).standing.size).toBe(0);
    const call = { callId: "c1", keys: [key], verdict: "approved", ...bound };
    const { record } = restore(file({ calls: [{ ...call, verdict: "rejected" }, call] }));
    expect(decideApproval({ keys: bare, call: c1 }, record).outcome).toBe("rejected");
  });

  it("asks again about calls that were approved before approvals were bound to arguments (ID-11)", () => {
    const before = (verdict: string) => ({ callId: "c1", keys: [key], verdict });
    const old = (...calls: readonly object[]) =>
      restore(JSON.stringify({ onymDecisions: 1, always: [{ key, verdict: "approved" }], calls, tools: [] }));
    const approvedOnce = old(before("approved"));
    expect(approvedOnce.record.calls.size).toBe(0);
    expect(approvedOnce.problems).toMatchObject([{ code: "decision-malformed" }]);
    expect(approvedOnce.problems[0]?.message).toContain('calls[0] was dropped: it has no "definition"');
    // What was refused stays refused, though a lasting approval would let it run.
    const { record, problems } = old(before("rejected"));
    expect(problems).toEqual([]);
    expect(decideApproval({ keys: bare, call: c1 }, record).outcome).toBe("rejected");
    const again = restore(formatDecisions({ record, standing: new Map() }));
    expect(decideApproval({ keys: bare, call: c1 }, again.record).outcome).toBe("rejected");
    // Until somebody decides about that very call.
    const later = recordDecision(again.record, once(bare, c1, "approved"));
    expect(decideApproval({ keys: bare, call: c1 }, later)).toEqual({ outcome: "approved", basis: "call" });
  });

  it("copes with a hundred thousand entries, sound or not (POL-2)", () => {
    const tools = Array.from({ length: 100_000 }, (_, index) =>
      index % 2 === 0 ? { ...approval, verdict: "rejected", principal: `p${index}` } : { principal: index },
    );
    const restored = restore(file({ tools }));
    expect([restored.standing.size, restored.problems.length]).toEqual([50_000, 50_000]);
    const read = restore(formatDecisions(restored));
    expect([read.standing.size, read.problems.length]).toEqual([50_000, 0]);
  });
});
