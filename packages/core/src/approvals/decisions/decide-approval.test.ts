import { describe, expect, it } from "vitest";
import type { CallId } from "../../identity/layers/call-id.js";
import { toolKeyOf } from "../../identity/tool-key.js";
import { type ApprovalKeys, approvalKeysOfCall, approvalKeysOfCatalogTool } from "../approval-keys.js";
import { type CallBinding, callBindingOf } from "../call-binding.js";
import { decideApproval } from "./decide-approval.js";
import {
  type ApprovalDecision,
  buildDecisionRecord,
  recordDecision,
  type Verdict,
} from "./decision-record.js";

/** A call with this id, of a tool as it is defined, with these arguments. */
function bound(id: string, definition = {}, given: unknown = {}): CallBinding {
  const call = callBindingOf({ callId: id as CallId, definition, arguments: given });
  if (call === undefined) throw new Error("no call");
  return call;
}

const c1 = bound("c1");
const c2 = bound("c2");
const bare = approvalKeysOfCall({ name: "lookup" }) as ApprovalKeys;
const namespaced = approvalKeysOfCall(
  { name: "lookup", namespace: "crm" },
  { allowBareAlias: true },
) as ApprovalKeys;
const deferred = approvalKeysOfCall({ name: "lookup", namespace: "lookup" }) as ApprovalKeys;
const deferredAlone = approvalKeysOfCall(
  { name: "lookup", namespace: "lookup" },
  { allowBareAlias: true },
) as ApprovalKeys;

function once(keys: ApprovalKeys, call: CallBinding, verdict: Verdict): ApprovalDecision {
  return { kind: "call", keys, call, verdict };
}

function always(keys: ApprovalKeys, verdict: Verdict): ApprovalDecision {
  return { kind: "always", keys, verdict };
}

function outcome(
  decisions: readonly ApprovalDecision[],
  keys: ApprovalKeys | undefined,
  call?: CallBinding,
): string {
  return decideApproval({ keys, call }, buildDecisionRecord(decisions)).outcome;
}

describe("deciding about a call", () => {
  it("leaves undecided what nobody decided, and what has no name (ID-5)", () => {
    expect(decideApproval({ keys: bare, call: c1 }, buildDecisionRecord([]))).toEqual({
      outcome: "undecided",
    });
    expect(outcome([always(bare, "approved")], undefined, c1)).toBe("undecided");
  });

  it("lets the decision about the call beat the lasting one, in either order (ID-5)", () => {
    for (const decisions of [
      [always(bare, "approved"), once(bare, c1, "rejected")],
      [once(bare, c1, "rejected"), always(bare, "approved")],
    ]) {
      expect(outcome(decisions, bare, c1)).toBe("rejected");
      expect(outcome(decisions, bare, c2)).toBe("approved");
    }
    expect(outcome([always(bare, "rejected"), once(bare, c1, "approved")], bare, c1)).toBe("approved");
  });

  it("says what an outcome rests on (ID-5)", () => {
    const record = buildDecisionRecord([always(bare, "approved"), once(bare, c1, "approved")]);
    expect(decideApproval({ keys: bare, call: c1 }, record)).toEqual({
      outcome: "approved",
      basis: "call",
    });
    expect(decideApproval({ keys: bare, call: c2 }, record)).toEqual({
      outcome: "approved",
      basis: "always",
    });
  });

  it("lets the latest decision about a call id win, also across keys (ID-5)", () => {
    expect(outcome([once(bare, c1, "rejected"), once(bare, c1, "approved")], bare, c1)).toBe("approved");
    const acrossKeys = [once(deferredAlone, c1, "approved"), once(bare, c1, "rejected")];
    expect(outcome(acrossKeys, deferredAlone, c1)).toBe("rejected");
    expect(outcome(acrossKeys.toReversed(), deferredAlone, c1)).toBe("approved");
  });

  it("lets the latest lasting decision win (ID-5)", () => {
    expect(outcome([always(bare, "approved"), always(bare, "rejected")], bare, c1)).toBe("rejected");
  });

  it("uses only lasting decisions for a call without an id (ID-5, ID-6)", () => {
    expect(outcome([once(bare, c1, "approved")], bare)).toBe("undecided");
    expect(outcome([always(bare, "approved")], bare)).toBe("approved");
  });

  it("never lets a namespaced call fall back to a bare decision, even where the alias was asked for (ID-5)", () => {
    expect(outcome([once(bare, c1, "approved"), always(bare, "approved")], namespaced, c1)).toBe("undecided");
  });

  it("finds a lasting decision under no alias, in neither direction (ID-5)", () => {
    expect(outcome([always(deferredAlone, "approved")], bare, c1)).toBe("undecided");
    expect(outcome([always(bare, "approved")], deferredAlone, c1)).toBe("undecided");
  });

  it("does not reach the bare tool from a deferred one with a visible bare sibling (ID-4)", () => {
    expect(outcome([once(deferred, c1, "approved")], bare, c1)).toBe("undecided");
  });

  it("does not carry a decision about a call id over to another tool (ID-5)", () => {
    expect(outcome([once(bare, c1, "approved")], namespaced, c1)).toBe("undecided");
  });

  it("keeps servers apart, for one call as for always (ID-4, ID-5)", () => {
    const onA = approvalKeysOfCatalogTool(toolKeyOf({ server: "A", raw: "search" }));
    const onB = approvalKeysOfCatalogTool(toolKeyOf({ server: "B", raw: "search" }));
    const inBox = approvalKeysOfCatalogTool(toolKeyOf({ toolbox: "dev", server: "A", raw: "search" }));
    const decisions = [always(onA, "approved"), once(onA, c1, "approved")];
    expect(outcome(decisions, onA, c1)).toBe("approved");
    expect(outcome(decisions, onB, c1)).toBe("undecided");
    expect(outcome(decisions, inBox, c1)).toBe("undecided");
    const lookalike = approvalKeysOfCall({ name: "search", namespace: "A" });
    expect(outcome(decisions, lookalike, c1)).toBe("undecided");
  });

  it("separates call ids and keys that would join to one text (ID-4)", () => {
    const hostile = bound('c1","["bare');
    expect(outcome([once(bare, hostile, "approved")], bare, c1)).toBe("undecided");
    expect(outcome([once(bare, bound("__proto__"), "approved")], bare, bound("constructor"))).toBe(
      "undecided",
    );
  });
});

describe("a decision about one call", () => {
  const shown = { description: "Sends a mail" };
  const approved = [once(bare, bound("c1", shown, { to: "ann", cc: ["bob"] }), "approved")];
  const asked = (definition: object, given: unknown) =>
    outcome(approved, bare, bound("c1", definition, given));

  it("holds for the same call, whatever the order of its keys (ID-11)", () => {
    expect(asked({ ...shown }, { cc: ["bob"], to: "ann" })).toBe("approved");
  });

  it.each<[string, object, unknown]>([
    ["other arguments", shown, { to: "eve", cc: ["bob"] }],
    ["more arguments", shown, { to: "ann", cc: ["bob"], bcc: "eve" }],
    ["no arguments", shown, {}],
    ["arguments that are text", shown, '{"to":"ann","cc":["bob"]}'],
    ["another definition", { description: "Sends a mail to all" }, { to: "ann", cc: ["bob"] }],
    ["no definition", {}, { to: "ann", cc: ["bob"] }],
  ])("says nothing about the same id with %s (ID-11)", (_, definition, given) => {
    expect(asked(definition, given)).toBe("undecided");
    const rejected = [once(bare, bound("c1", shown, { to: "ann", cc: ["bob"] }), "rejected")];
    expect(outcome(rejected, bare, bound("c1", definition, given))).toBe("undecided");
  });

  it("stays when the same id is decided about with other arguments (ID-11)", () => {
    const [a, b] = [bound("c1", shown, { to: "ann" }), bound("c1", shown, { to: "eve" })];
    const decisions = [always(bare, "approved"), once(bare, a, "rejected"), once(bare, b, "approved")];
    expect(outcome(decisions, bare, a)).toBe("rejected");
    expect(outcome(decisions, bare, b)).toBe("approved");
  });

  it("is bound to nothing where the call has no id (ID-11, ID-6)", () => {
    expect(callBindingOf({ callId: undefined, definition: shown, arguments: {} })).toBeUndefined();
  });
});

describe("recording a decision", () => {
  it("gives a new record and leaves the old one as it was (ID-5)", () => {
    const before = buildDecisionRecord([always(bare, "approved")]);
    const after = recordDecision(before, once(bare, c1, "rejected"));
    expect(decideApproval({ keys: bare, call: c1 }, before).outcome).toBe("approved");
    expect(decideApproval({ keys: bare, call: c1 }, after).outcome).toBe("rejected");
    expect([before.size, after.size]).toEqual([1, 2]);
  });

  it("keeps a decision about a call under all keys, a lasting one under the canonical key alone (ID-5)", () => {
    const record = buildDecisionRecord([
      once(deferredAlone, c1, "approved"),
      always(deferredAlone, "approved"),
    ]);
    expect(record.calls.size).toBe(2);
    expect([...record.always.keys()]).toEqual([deferredAlone.canonical]);
  });

  it("one by one equals building at once (ID-5)", () => {
    const decisions = [once(bare, c1, "approved"), always(deferred, "rejected"), once(bare, c1, "rejected")];
    expect(decisions.reduce(recordDecision, buildDecisionRecord([]))).toEqual(buildDecisionRecord(decisions));
  });
});
