// Finds what makes a set of tools ambiguous on the wire, before a model calls one of them (ID-2, ID-3).

import { quoteText } from "../../names/escape-text.js";
import type { Problem } from "../../names/problem.js";
import { isDeferredTopLevel } from "../layers/lookup-key.js";
import { qualifiedNameOf } from "../layers/qualified-name.js";
import { type FunctionTool, hasReservedNamespace, readNameParts } from "../name-parts.js";
import { groupBy } from "./tool-set.js";

/** Whether a finding rejects the set or is only reported. Either way no tool receives another's calls. */
export type ToolSetPolicy = "error" | "warn";

export interface ToolSetFinding<T extends FunctionTool = FunctionTool> extends Problem {
  readonly code: "unnamed-tool" | "reserved-namespace" | "duplicate-deferred" | "duplicate-qualified";
  /** The affected tools, in input order. */
  readonly tools: readonly T[];
}

type Draft<T extends FunctionTool> = Omit<ToolSetFinding<T>, "severity">;

/**
 * All findings; empty for an unambiguous set. A bare and a deferred tool may share a name, because their calls
 * differ on the wire.
 *
 * @example
 * validateToolSet([{ name: "crm.lookup" }, { name: "lookup", namespace: "crm" }])[0]?.code; // "duplicate-qualified"
 */
export function validateToolSet<T extends FunctionTool>(
  tools: readonly T[],
  options: { readonly policy?: ToolSetPolicy } = {},
): readonly ToolSetFinding<T>[] {
  const severity = options.policy === "warn" ? "warning" : "error";
  const drafts = [
    ...checkEachTool(tools),
    ...[...groupBy(tools, qualifiedNameOf)].flatMap(([name, claimants]) => checkClaimants(name, claimants)),
  ];
  return drafts.map((draft) => ({ ...draft, severity }));
}

function checkEachTool<T extends FunctionTool>(tools: readonly T[]): Draft<T>[] {
  return tools.flatMap((tool, index): Draft<T>[] => {
    const parts = readNameParts(tool);
    if (parts === undefined) {
      return [
        {
          code: "unnamed-tool",
          message: `The tool at position ${index} has no usable name or namespace, so nothing can call it.`,
          fix: "Give it a name that is not empty, and a namespace that is text, or none.",
          tools: [tool],
        },
      ];
    }
    if (!hasReservedNamespace(parts)) return [];
    return [
      {
        code: "reserved-namespace",
        message: `${describeTool(tool)} repeats its name as its namespace; that shape is reserved for the deferred tool ${quoteText(parts.name)}.`,
        fix: "Rename the namespace or the tool, so that the two differ.",
        tools: [tool],
      },
    ];
  });
}

function checkClaimants<T extends FunctionTool>(name: string, claimants: readonly T[]): Draft<T>[] {
  const deferred = claimants.filter(isDeferredTopLevel);
  const others = claimants.filter((tool) => !isDeferredTopLevel(tool));
  const isNamespaced = others.some((tool) => readNameParts(tool)?.namespace !== undefined);
  const drafts: Draft<T>[] = [];
  if (deferred.length > 1) {
    drafts.push({
      code: "duplicate-deferred",
      message: `${deferred.length} deferred tools are named ${quoteText(name)}; a call cannot tell them apart.`,
      fix: "Rename all but one of them, or give them namespaces.",
      tools: deferred,
    });
  }
  if (others.length > 1 || (isNamespaced && claimants.length > 1)) {
    drafts.push({
      code: "duplicate-qualified",
      message: `These tools share the qualified name ${quoteText(name)}: ${describeDistinct(claimants)}.`,
      fix: "Rename all but one of them: the tool, or the namespace around it.",
      tools: claimants,
    });
  }
  return drafts;
}

/** Equal descriptions are counted instead of repeated, so a thousand copies still give one readable line. */
function describeDistinct(tools: readonly FunctionTool[]): string {
  const groups = groupBy(tools, describeTool);
  return [...groups]
    .map(([text, same]) => (same.length > 1 ? `${text} (${same.length} times)` : text))
    .join(", ");
}

function describeTool(tool: FunctionTool): string {
  const parts = readNameParts(tool);
  const name = quoteText(parts?.name ?? "");
  if (parts?.namespace !== undefined) return `tool ${name} in namespace ${quoteText(parts.namespace)}`;
  return isDeferredTopLevel(tool) ? `deferred tool ${name}` : `tool ${name}`;
}
