// Every row of the identity layers' table of facts, as far as it concerns this room.

import { describe, expect, it } from "vitest";
import cases from "../../../../test/data/identity-cases.json" with { type: "json" };
import { callIdOf } from "./layers/call-id.js";
import { dispatchNameOfTool } from "./layers/dispatch-name.js";
import { handoffNameOf } from "./layers/handoff-name.js";
import { lookupKeyOfCall, lookupKeyOfTool } from "./layers/lookup-key.js";
import { prefixedNameOf } from "./layers/prefixed-name.js";
import { qualifiedNameOf } from "./layers/qualified-name.js";
import { traceNameOfCall, traceNameOfTool } from "./layers/trace-name.js";
import type { FunctionTool } from "./name-parts.js";
import { normalizeCall } from "./tool-set/normalize-call.js";
import { resolveCall } from "./tool-set/resolve-call.js";
import { buildToolSet } from "./tool-set/tool-set.js";
import { validateToolSet } from "./tool-set/validate-tool-set.js";

interface LabelledTool extends FunctionTool {
  readonly label: string;
}

/** "deferred lookup", "bare crm.lookup", "crm/lookup": the table's shorthand for tools. */
function readShorthand(label: string): LabelledTool {
  const [kind = "", rest] = label.split(" ");
  if (rest !== undefined) return { label, name: rest, deferred: kind === "deferred" };
  const [namespace = "", name = ""] = label.split("/");
  return { label, name, namespace };
}

function decodeKey(key: string | undefined): unknown {
  return key === undefined ? null : JSON.parse(key);
}

describe("the table of identity layers", () => {
  it.each(cases.qualifiedName)("gives $name in $namespace the qualified name $result (ID-1)", (row) => {
    expect(qualifiedNameOf(row) ?? null).toBe(row.result);
  });

  it.each(cases.lookupKeyOfCall)(
    "gives a call of $name in $namespace the key $result (ID-1, ID-2)",
    (row) => {
      expect(decodeKey(lookupKeyOfCall(row))).toEqual(row.result);
    },
  );

  it.each(cases.lookupKeyOfTool)(
    "gives tool $tool its key, dispatch name and trace name (ID-1, ID-2)",
    (row) => {
      expect(decodeKey(lookupKeyOfTool(row.tool))).toEqual(row.key);
      expect(dispatchNameOfTool(row.tool)).toBe(row.dispatch);
      expect(traceNameOfTool(row.tool)).toBe(row.trace);
    },
  );

  it.each(cases.traceNameOfCall)("traces a call of $name in $namespace as $result (ID-1)", (row) => {
    expect(traceNameOfCall(row)).toBe(row.result);
  });

  it.each(cases.callId)("takes from $call the call id $result (ID-6)", (row) => {
    expect(callIdOf(row.call) ?? null).toBe(row.result);
  });

  it.each(cases.normalizeCall)("shows $tool the call $call as $result (ID-7)", (row) => {
    expect(normalizeCall(row.call, readShorthand(row.tool))).toEqual(row.result);
  });

  it.each(cases.resolveCall)("resolves $call among $tools to $result (ID-1, ID-2)", (row) => {
    const resolution = resolveCall(row.call, buildToolSet(row.tools.map(readShorthand)));
    const answer = { resolved: () => null, ambiguous: () => "ambiguous", unknown: () => null };
    const found = resolution.outcome === "resolved" ? resolution.tool.label : answer[resolution.outcome]();
    expect(found).toBe(row.result);
  });

  it.each(cases.toolSetFindings)("finds in $tools: $finding (ID-2, ID-3)", (row) => {
    const codes = validateToolSet(row.tools.map(readShorthand)).map((finding) => finding.code);
    expect(codes).toEqual(row.finding === null ? [] : [row.finding.replaceAll("_", "-")]);
  });

  it.each(cases.prefixedStyle)("prefixes $tool of $server as $result (ID-8)", (row) => {
    expect(prefixedNameOf({ server: row.server, raw: row.tool })).toBe(row.result);
  });

  it.each(cases.handoffName)("names the handoff to $agent $result (ID-9)", (row) => {
    expect(handoffNameOf(row.agent)).toBe(row.result);
  });
});
