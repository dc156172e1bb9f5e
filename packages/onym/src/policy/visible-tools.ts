// What a caller can see. A denied tool is neither listed nor found under any spelling, and a request for it gets
// the same answer as one for a tool that never existed (POL-1, GW-6).

import {
  type Ambiguous,
  decodeTransport,
  type Problem,
  parseToolName,
  type Resolution,
  type StructuredName,
  type Tool,
  type Unknown,
} from "@onym/core";
import type { PolicySubject } from "../model/policy-rule.js";
import type { IsNew, Policy } from "./build-policy.js";

export interface VisibleTools {
  /** In input order. */
  readonly tools: readonly Tool[];
  readonly isVisible: (tool: Tool) => boolean;
  /** The part of a resolution that the caller may see. */
  readonly hide: (input: string | StructuredName, resolution: Resolution, names: NamesOfCaller) => Resolution;
}

export interface NamesOfCaller {
  /** The tool with this name in the caller's own table. */
  readonly toolNamed: (name: string) => Tool | undefined;
  /**
   * Names similar to a text. Hidden and unknown tools use the same search, because the resolution of a hidden tool
   * contains no suggestions. Without this function neither gets any.
   */
  readonly suggest?: (input: string | StructuredName) => readonly string[];
}

export function buildVisibleTools(
  policy: Policy,
  tools: readonly Tool[],
  subject: PolicySubject,
  isNew?: IsNew,
): VisibleTools {
  const decisions = policy.decideAll(tools, subject, isNew);
  const isVisible = ({ key }: Tool): boolean => {
    const decision = decisions.get(key);
    return decision !== undefined && decision.effect !== "deny";
  };
  const visible = tools.filter(isVisible);
  let canonicals: ReadonlySet<string> | undefined;
  let hidden: ReadonlySet<string> | undefined;
  /** Whether the caller may see a canonical name, of a present or former tool. */
  const mayHear = (canonical: string): boolean => {
    canonicals ??= new Set(visible.map((tool) => tool.canonical));
    if (canonicals.has(canonical)) return true;
    hidden ??= new Set(tools.filter((tool) => !isVisible(tool)).map((tool) => tool.canonical));
    return !hidden.has(canonical) && policy.mayMention(canonical, subject);
  };
  /** Built only from the text and the visible tools, so nothing about a hidden tool can leak. */
  const unknown = (
    input: string | StructuredName,
    names: NamesOfCaller,
    problem = typeof input === "string" ? problemOf(input) : undefined,
  ): Unknown => {
    let made: readonly string[] | undefined;
    return {
      outcome: "unknown",
      steps: [],
      warnings: [],
      // Made when they are read, once, as the resolver's are (SAFE-4).
      get suggestions() {
        made ??= (names.suggest?.(input) ?? []).filter((name) => {
          const tool = names.toolNamed(name);
          return tool !== undefined && isVisible(tool);
        });
        return made;
      },
      ...(problem === undefined ? {} : { problem }),
    };
  };
  return {
    tools: visible,
    isVisible,
    hide(input, resolution, names) {
      switch (resolution.outcome) {
        case "resolved":
          return isVisible(resolution.tool) ? resolution : unknown(input, names);
        case "ambiguous":
          return narrowed(resolution, isVisible) ?? unknown(input, names);
        case "retired": {
          const { canonical, successor = canonical } = resolution;
          return mayHear(canonical) && mayHear(successor) ? resolution : unknown(input, names);
        }
        default: {
          const { problem } = resolution;
          // The problem names a tool whose server is unavailable, and whether that tool would be denied is not
          // certain.
          const isMentioned = problem?.code === "server-absent" && policy.mayMention("", subject);
          return unknown(input, names, isMentioned ? problem : undefined);
        }
      }
    },
  };
}

/**
 * If several tools claim a text and only one of them is visible, it means that one for this caller. Former names
 * are excluded: the rename that declared them decides about their use.
 */
function narrowed(resolution: Ambiguous, isVisible: (tool: Tool) => boolean): Resolution | undefined {
  const { step, steps, warnings } = resolution;
  const candidates = resolution.candidates.filter(isVisible);
  const [tool, another] = candidates;
  if (tool === undefined) return undefined;
  if (another !== undefined) return { ...resolution, candidates };
  if (step === "alias" || step === "transport") return undefined;
  return { outcome: "resolved", tool, step, steps, warnings };
}

/** What is wrong with a text that is almost a name. */
function problemOf(text: string): Problem | undefined {
  const decoded = decodeTransport(text);
  if (!decoded.ok) return decoded.problem;
  if (!decoded.value.includes("/")) return undefined;
  const parsed = parseToolName(decoded.value);
  return parsed.ok ? undefined : parsed.problem;
}
