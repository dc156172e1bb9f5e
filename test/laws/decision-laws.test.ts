// The laws of keeping decisions: what was written is read as it was, and no damage on the way makes an approval.

import type { ToolDefinition } from "@onym/core";
import {
  type ApprovalDecision,
  type ApprovalKeys,
  approvalKeysOfCall,
  approvalKeysOfCatalogTool,
  buildDecisionRecord,
  buildStandingRecord,
  type CallBinding,
  callBindingOf,
  type Decisions,
  decideApproval,
  decideStanding,
  decideToolCall,
  formatDecisions,
  parseDecisions,
  type StandingDecision,
  type ToolBinding,
  toolBindingOf,
} from "@onym/core/approvals";
import { callIdOf, canonicalJson, toolKeyOf } from "@onym/core/identity";
import fc from "fast-check";
import { describe, it } from "vitest";
import { lawRuns } from "./law-runs.js";
import { rawName } from "./nasty.js";

const verdict = fc.constantFrom("approved" as const, "rejected" as const);

describe("the laws of kept decisions", () => {
  it("kept: decisions are the same after they were written and read (ID-5) (POL-2)", () => {
    fc.assert(
      fc.property(decisions, ({ made, subjects }) => {
        const text = formatDecisions(made);
        const parsed = parseDecisions(text);
        if (!parsed.ok) throw new Error(parsed.problem.message);
        const read = parsed.value;
        hold(read.problems.length === 0, "a decision was dropped");
        hold(formatDecisions(read) === text, "the text changed on its way");
        for (const asked of subjects) {
          const before = JSON.stringify(answersOf(asked, made));
          hold(JSON.stringify(answersOf(asked, read)) === before, "a decision changed on its way");
        }
      }),
      lawRuns(),
    );
  });

  it("never widened by damage: a file with broken entries approves nothing that was not approved (POL-2)", () => {
    const odd = fc.constantFrom<unknown>(null, 5, "", "approved", true, [], {}, [["bare", "a"]]);
    const harm = fc.record({
      section: fc.constantFrom("always", "calls", "tools"),
      at: fc.nat(),
      kind: fc.constantFrom("remove", "replace", "add", "entry", "twice"),
      field: fc.nat(),
      value: odd,
    });
    // A field that stands twice is damage of the text, which the other kinds would read and write anew.
    const harms = fc
      .array(harm, { minLength: 1, maxLength: 3 })
      .map((list) => list.filter(({ kind }, index) => kind !== "twice" || index === list.length - 1));
    fc.assert(
      fc.property(decisions, harms, ({ made, subjects }, harms) => {
        const read = parseDecisions(harms.reduce(damage, formatDecisions(made)));
        if (!read.ok) return;
        for (const asked of subjects) {
          const before = answersOf(asked, made);
          for (const [index, after] of answersOf(asked, read.value).entries()) {
            hold(after !== "approved" || before[index] === "approved", "damage made an approval");
          }
        }
      }),
      lawRuns(),
    );
  });
});

it("bound: a decision about one call says nothing about any other, not even with its id (ID-11)", () => {
  const subject = fc.record({
    callId: fc.constantFrom("c1", "c2"),
    definition: fc.record({ description: rawName }, { requiredKeys: [] }),
    arguments: fc.jsonValue({ maxDepth: 2 }),
    tool: fc.record({ server: rawName, raw: rawName }),
  });
  fc.assert(
    fc.property(
      subject,
      subject,
      fc.subarray(["callId", "definition", "arguments", "tool"]),
      verdict,
      (a, b, shared, verdict) => {
        const other = { ...b, ...Object.fromEntries(shared.map((field) => [field, Reflect.get(a, field)])) };
        const [decided, asked] = [a, other].map((each) => ({
          keys: approvalKeysOfCatalogTool(toolKeyOf(each.tool)),
          call: callBindingOf({ ...each, callId: callIdOf({ id: each.callId }) }),
        }));
        if (decided?.call === undefined || asked?.call === undefined) throw new Error("no call");
        const record = buildDecisionRecord([
          { kind: "call", keys: decided.keys, call: decided.call, verdict },
        ]);
        const isSame = canonicalJson(a) === canonicalJson(other);
        hold(decideApproval(asked, record).outcome === (isSame ? verdict : "undecided"), "it says more");
      },
    ),
    lawRuns(),
  );
});

/** Decisions of every kind about a handful of subjects that are easily taken for one another. */
const decisions: fc.Arbitrary<{ readonly made: Decisions; readonly subjects: readonly Subject[] }> = fc
  .tuple(
    fc.array(
      fc.record({
        tool: fc.record({ server: rawName, raw: rawName }),
        function: fc.record(
          { name: rawName, namespace: rawName, deferred: fc.boolean() },
          { requiredKeys: ["name"], noNullPrototype: true },
        ),
        principal: fc.constantFrom("ann", "bob", "__proto__", "\u202e"),
        callId: fc.constantFrom("c1", "c2", "constructor"),
        given: fc.constantFrom<unknown>({}, { a: 1 }, { __proto__: null, b: [2] }, "{}", undefined),
        description: fc.oneof(rawName, fc.constant(undefined)),
      }),
      { minLength: 1, maxLength: 5 },
    ),
    fc.array(
      fc.record({
        kind: fc.constantFrom("always", "call", "tool"),
        at: fc.nat(),
        verdict,
        keeps: fc.boolean(),
      }),
      { maxLength: 10 },
    ),
  )
  .map(([drafts, steps]) => {
    const subjects = drafts.map((draft): Subject => {
      const definition: ToolDefinition =
        draft.description === undefined ? {} : { description: draft.description };
      const tool = { key: toolKeyOf(draft.tool), definition };
      const binding = toolBindingOf({ principal: draft.principal, launch: "first", tool });
      const call = draft.function.deferred
        ? { name: draft.function.name, namespace: draft.function.name }
        : draft.function;
      const options = { allowBareAlias: true, includeLegacyDeferred: true };
      return {
        binding,
        callId: callIdOf({ id: draft.callId }),
        given: draft.given,
        keys: [approvalKeysOfCall(call, options), approvalKeysOfCatalogTool(tool.key)],
      };
    });
    const made: ApprovalDecision[] = [];
    const standing: StandingDecision[] = [];
    for (const { kind, at, verdict, keeps } of steps) {
      const subject = subjects[at % subjects.length] as Subject;
      const { binding, keys } = subject;
      const call = boundCall(subject);
      const key = keys[at % 2] ?? approvalKeysOfCatalogTool(binding.tool);
      if (kind === "tool") {
        const { definition, ...rest } = binding;
        standing.push({ verdict, ...rest, ...(keeps ? { definition } : {}) });
      } else if (kind === "always") made.push({ kind, keys: key, verdict });
      else if (call !== undefined) made.push({ kind: "call", keys: key, call, verdict });
    }
    const record = buildDecisionRecord(made);
    return { made: { record, standing: buildStandingRecord(standing) }, subjects };
  });

interface Subject {
  readonly binding: ToolBinding;
  readonly callId: ReturnType<typeof callIdOf>;
  readonly given: unknown;
  readonly keys: readonly (ApprovalKeys | undefined)[];
}

function boundCall({ binding, callId, given }: Subject): CallBinding | undefined {
  return callBindingOf({ callId, definition: binding.definition, arguments: given });
}

/** Everything that can be asked about a subject. */
function answersOf(subject: Subject, made: Decisions): readonly string[] {
  const { binding, callId, given, keys } = subject;
  const call = boundCall(subject);
  const elsewhere = callBindingOf({ callId, definition: binding.definition, arguments: { to: "eve" } });
  const other = { ...binding, digest: toolBindingOf({ ...binding, tool: OTHER }).digest };
  return [
    ...keys.flatMap((key) => [
      decideApproval({ keys: key, call }, made.record).outcome,
      decideApproval({ keys: key, call: elsewhere }, made.record).outcome,
      decideApproval({ keys: key, call: undefined }, made.record).outcome,
    ]),
    decideStanding(binding, made.standing).outcome,
    decideStanding(other, made.standing).outcome,
    decideStanding({ ...binding, launch: "second" }, made.standing).outcome,
    decideToolCall({ binding, callId, arguments: given }, made).outcome,
    decideToolCall({ binding: other, callId: undefined, arguments: given }, made).outcome,
  ];
}

const OTHER = {
  key: toolKeyOf({ server: "", raw: "" }),
  definition: { title: "none of the generated ones" },
};

interface Harm {
  readonly section: string;
  readonly at: number;
  readonly kind: string;
  readonly field: number;
  readonly value: unknown;
}

/** One entry loses, changes or gains a field, becomes something else, or says a field twice. */
function damage(text: string, { section, at, kind, field, value }: Harm): string {
  const file = JSON.parse(text) as Record<string, unknown[]>;
  const list = file[section] ?? [];
  const index = at % Math.max(1, list.length);
  const entry = list[index];
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return text;
  const fields = Object.entries(entry);
  const [name = ""] = fields[field % Math.max(1, fields.length)] ?? [];
  // A well-formed change of one field is no damage: who may write the file may decide.
  if (kind === "replace" && ["principal", "launch", "callId"].includes(name) && typeof value === "string")
    return text;
  if (kind === "replace" && name === "verdict" && value === "approved") return text;
  if (kind === "replace" && name === "keys" && Array.isArray(value)) return text;
  if (kind === "twice") {
    const doubled = `${JSON.stringify(entry).slice(0, -1)},"verdict":"approved"}`;
    const marked = JSON.stringify({
      ...file,
      [section]: list.map((one, i) => (i === index ? "\u0001" : one)),
    });
    return "verdict" in entry ? marked.replace('"\\u0001"', () => doubled) : text;
  }
  const changed = new Map<string, unknown>(fields);
  if (kind === "remove") changed.delete(name);
  else if (kind === "replace") changed.set(name, value);
  else changed.set(`x${field}`, value);
  list[index] = kind === "entry" ? value : Object.fromEntries(changed);
  return JSON.stringify(file);
}

/** Cheaper than an assertion library in a loop of millions. */
function hold(condition: boolean, message: string): void {
  if (!condition) throw new Error(message);
}
