// Every row of the identity layers' table of facts that concerns approvals.

import { describe, expect, it } from "vitest";
import cases from "../../../../test/data/identity-cases.json" with { type: "json" };
import { callIdOf } from "../identity/layers/call-id.js";
import type { FunctionTool } from "../identity/name-parts.js";
import { toolKeyOf } from "../identity/tool-key.js";
import { buildToolSet } from "../identity/tool-set/tool-set.js";
import {
  type ApprovalKeys,
  approvalKeysOfCall,
  approvalKeysOfCatalogTool,
  approvalKeysOfTool,
  formatApprovalKeys,
  isBareAliasAllowed,
} from "./approval-keys.js";
import { type CallBinding, callBindingOf } from "./call-binding.js";
import { decideApproval } from "./decisions/decide-approval.js";
import { type ApprovalDecision, buildDecisionRecord } from "./decisions/decision-record.js";

/** "deferred lookup", "bare lookup", "crm/lookup": the table's shorthand for tools. */
function readShorthand(label: string): FunctionTool {
  const [kind = "", rest] = label.split(" ");
  if (rest !== undefined) return { name: rest, deferred: kind === "deferred" };
  const [namespace = "", name = ""] = label.split("/");
  return { name, namespace };
}

/** "search on server A", a tool, or nothing, which stands for any one tool that is alone. */
function keysOfShorthand(label: string): ApprovalKeys {
  const [, raw, server] = /^(\S+) on server (\S+)$/.exec(label) ?? [];
  if (raw !== undefined && server !== undefined) return approvalKeysOfCatalogTool(toolKeyOf({ server, raw }));
  const tool = readShorthand(label === "" ? "bare lookup" : label);
  const allowBareAlias = isBareAliasAllowed(tool, buildToolSet([tool]));
  const keys = approvalKeysOfTool(tool, { allowBareAlias });
  if (keys === undefined) throw new Error(`no keys for ${label}`);
  return keys;
}

/** The table tells calls apart by their ids alone: all have the same definition and arguments. */
function readCallId(text: string): CallBinding {
  const call = callBindingOf({ callId: callIdOf({ call_id: text }), definition: {}, arguments: {} });
  if (call === undefined) throw new Error(`no call id in ${text}`);
  return call;
}

/** "approve call c1 of deferred lookup", "reject call c1", "always approve search on server A". */
function readDecision(text: string): ApprovalDecision {
  const call = /^(approve|reject) call (\S+)(?: of (.+))?$/.exec(text);
  if (call !== null) {
    const [, verb, id = "", label = ""] = call;
    const verdict = verb === "approve" ? "approved" : "rejected";
    return { kind: "call", keys: keysOfShorthand(label), call: readCallId(id), verdict };
  }
  const [, verb, label = ""] = /^always (approve|reject) ?(.*)$/.exec(text) ?? [];
  if (verb === undefined) throw new Error(`no decision in ${text}`);
  return {
    kind: "always",
    keys: keysOfShorthand(label),
    verdict: verb === "approve" ? "approved" : "rejected",
  };
}

/** "call c2, bare lookup", "call c1", "search on server B". */
function readQuestion(text: string): { keys: ApprovalKeys; call: CallBinding } {
  const [, id, label] = /^call (\w+)(?:, (.+))?$/.exec(text) ?? [];
  if (id === undefined) return { keys: keysOfShorthand(text), call: readCallId("c9") };
  return { keys: keysOfShorthand(label ?? ""), call: readCallId(id) };
}

describe("the table of approvals", () => {
  it.each(cases.approvalKeysDisplay)("shows the keys of %j (ID-4)", (row) => {
    const { allowBareAlias = false, includeLegacyDeferred = false } = row;
    const keys = approvalKeysOfCall(row, { allowBareAlias, includeLegacyDeferred });
    expect(formatApprovalKeys(keys)).toEqual(row.result);
  });

  it.each(cases.bareAliasAllowed)("allows $tool beside $siblings its bare alias: $result (ID-4)", (row) => {
    const tool = readShorthand(row.tool);
    expect(isBareAliasAllowed(tool, buildToolSet(row.siblings.map(readShorthand)))).toBe(row.result);
    expect(isBareAliasAllowed(tool, buildToolSet([tool, ...row.siblings.map(readShorthand)]))).toBe(
      row.result,
    );
  });

  it.each(cases.approvalDecisions)("after $do answers $ask with $result (ID-5)", (row) => {
    const record = buildDecisionRecord(row.do.map(readDecision));
    expect(decideApproval(readQuestion(row.ask), record).outcome).toBe(row.result);
  });
});
