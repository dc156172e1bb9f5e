// What a caller can see: a denied tool is neither listed nor found, under any spelling, and asking for it is answered as
// asking for what was never there (POL-1, GW-6).

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
import type { IsNew, Policy } from "./build-policy.js";
import type { PolicySubject } from "./policy-input.js";

export interface VisibleTools {
  /** In the order they were given in. */
  readonly tools: readonly Tool[];
  readonly isVisible: (tool: Tool) => boolean;
  /** What the caller may hear of the resolution of a text. */
  readonly hide: (input: string | StructuredName, resolution: Resolution, names: NamesOfCaller) => Resolution;
}

interface NamesOfCaller {
  /** The tool with this name in the caller's own table. */
  readonly toolNamed: (name: string) => Tool | undefined;
  /**
   * Names near a text. They are looked for in the same way whether a tool is hidden or unknown, because a resolution
   * that found a hidden tool has none; without it neither gets any.
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
  /** Whether the caller may hear a canonical name, of a tool that is there or was there once. */
  const mayHear = (canonical: string): boolean => {
    canonicals ??= new Set(visible.map((tool) => tool.canonical));
    if (canonicals.has(canonical)) return true;
    hidden ??= new Set(tools.filter((tool) => !isVisible(tool)).map((tool) => tool.canonical));
    return !hidden.has(canonical) && policy.mayMention(canonical, subject);
  };
  /** Made from the text and the visible tools alone, so that nothing of a hidden one can show in it. */
  const unknown = (input: string | StructuredName, names: NamesOfCaller): Unknown => {
    const suggestions = (names.suggest?.(input) ?? []).filter((name) => {
      const tool = names.toolNamed(name);
      return tool !== undefined && isVisible(tool);
    });
    const problem = typeof input === "string" ? problemOf(input) : undefined;
    const answer = { outcome: "unknown", steps: [], warnings: [], suggestions } as const;
    return problem === undefined ? answer : { ...answer, problem };
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
          const answer = unknown(input, names);
          const { problem } = resolution;
          // It names a tool whose server is away; whether that one would be denied cannot be told for certain.
          const isTold = problem?.code === "server-absent" && policy.mayMention("", subject);
          return isTold ? { ...answer, problem } : answer;
        }
      }
    },
  };
}

/**
 * A text that several tools claim, of which one is visible, means that one: for this caller there is no other. Not so a
 * former name: what it may still be used for belongs to the rename that declared it.
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

/** What is wrong with a text that nearly is a name. */
function problemOf(text: string): Problem | undefined {
  const decoded = decodeTransport(text);
  if (!decoded.ok) return decoded.problem;
  if (!decoded.value.includes("/")) return undefined;
  const parsed = parseToolName(decoded.value);
  return parsed.ok ? undefined : parsed.problem;
}
