// Text → tool for one caller: the steps of RES-1 over look-ups made beforehand. Never guesses, never throws.

import type { Tool } from "../catalog/tool.js";
import { foldAscii } from "../names/ascii-fold.js";
import { decodeTransport } from "../names/decode-transport.js";
import type { Problem } from "../names/problem.js";
import type { NamingTable } from "../naming/build-naming-table.js";
import { buildSentForms } from "./build-spellings.js";
import { type Claim, isSeveral } from "./claims.js";
import {
  isMeant,
  type Resolution,
  type ResolveContext,
  type Resolved,
  type ResolveStep,
  type StepTaken,
  type StructuredName,
} from "./resolution.js";
import type { SharedLookups } from "./shared-lookups.js";
import { createSuggest } from "./suggest-names.js";

export type Resolver = (input: string | StructuredName, context?: ResolveContext) => Resolution;

const NO_WARNINGS: readonly string[] = Object.freeze([]);

/** Builds the resolver of one table. `lookups` are shared by all tables of a snapshot. */
export function createResolver(table: NamingTable, lookups: SharedLookups): Resolver {
  // Made on first use and then kept: resolving a public name again allocates nothing.
  const known: Resolved[] = new Array(table.tools.length);
  const suggest = createSuggest(table);
  let sentForms: ReadonlyMap<string, Claim> | undefined;

  const publicName = (text: string): Claim | undefined => table.toolNamed(text) ?? lookups.advertised(text);
  const spelling = (text: string): Claim | undefined => {
    const claim = lookups.spellings().get(text);
    if (claim !== undefined) return claim;
    sentForms ??= buildSentForms(table);
    return sentForms.get(text);
  };

  /** The steps 1 to 4, for the text as it came and once more for the text decoded. */
  const direct = (trail: Trail, text: string, as?: ResolveStep): Resolution | undefined =>
    trail.claim(as ?? "public", text, publicName(text)) ??
    trail.claim(as ?? "canonical", text, lookups.canonical(text)) ??
    trail.former(as ?? "alias", text, lookups.former(text)) ??
    trail.claim(as ?? "spelling", text, spelling(text));

  const searched = (text: string, context: ResolveContext): Resolution => {
    const trail = new Trail(context);
    const found = direct(trail, text);
    if (found !== undefined) return found;

    let problem: Problem | undefined;
    let plain = text;
    const decoded = decodeTransport(text);
    if (!decoded.ok) problem = decoded.problem;
    else if (decoded.value !== text) {
      plain = decoded.value;
      const transported = direct(trail, plain, "transport");
      if (transported !== undefined) return transported;
    }

    const normal = lookups.normalise(plain);
    if (normal.ok) {
      const versioned = trail.claim("version", normal.value, lookups.canonical(normal.value));
      if (versioned !== undefined) return versioned;
    } else if (plain.includes("/")) problem ??= normal.problem;

    const folded = lookups.normalise(foldAscii(plain));
    if (folded.ok) {
      const cased = trail.claim("case", folded.value, lookups.caseFolded(folded.value));
      if (cased !== undefined) return cased;
    }

    const owned = trail.claim("context", text, lookups.owned(text, context));
    if (owned !== undefined) return owned;
    const { steps } = trail;
    const suggestions = suggest(text);
    return problem === undefined
      ? { outcome: "unknown", suggestions, steps, warnings: NO_WARNINGS }
      : { outcome: "unknown", suggestions, problem, steps, warnings: NO_WARNINGS };
  };

  const remember = (index: number): Resolved => {
    const entry = table.tools[index];
    const resolution = trailOf("public", entry?.name ?? "", entry?.tool as Tool);
    known[index] = resolution;
    return resolution;
  };

  return (input, context = {}) => {
    if (typeof input !== "string") return structured(input, lookups, suggest);
    const index = table.indexOf(input);
    if (index !== undefined) return known[index] ?? remember(index);
    return searched(input, context);
  };
}

function structured(
  { toolbox, server, name }: StructuredName,
  lookups: SharedLookups,
  suggest: (text: string) => readonly string[],
): Resolution {
  const context = toolbox === undefined ? { server } : { server, toolbox };
  const trail = new Trail(context);
  return (
    trail.claim("context", name, lookups.owned(name, context)) ?? {
      outcome: "unknown",
      suggestions: suggest(`${server}_${name}`),
      steps: trail.steps,
      warnings: NO_WARNINGS,
    }
  );
}

function trailOf(step: ResolveStep, tried: string, tool: Tool): Resolved {
  return {
    outcome: "resolved",
    tool,
    step,
    steps: [{ step, tried, outcome: "matched" }],
    warnings: NO_WARNINGS,
  };
}

/** The steps taken so far, and the verdict of each. */
class Trail {
  readonly steps: StepTaken[] = [];
  readonly #context: ResolveContext;

  constructor(context: ResolveContext) {
    this.#context = context;
  }

  claim(step: ResolveStep, tried: string, claim: Claim | undefined): Resolution | undefined {
    if (claim === undefined) {
      // `transport` stands for four look-ups of one text; it is told once.
      if (this.steps[this.steps.length - 1]?.step !== step)
        this.steps.push({ step, tried, outcome: "no match" });
      return undefined;
    }
    if (this.steps[this.steps.length - 1]?.step === step) this.steps.pop();
    const tool = isSeveral(claim) ? this.#only(claim) : claim;
    this.steps.push({ step, tried, outcome: tool === undefined ? "ambiguous" : "matched" });
    const { steps } = this;
    if (tool !== undefined) return { outcome: "resolved", tool, step, steps, warnings: NO_WARNINGS };
    return {
      outcome: "ambiguous",
      step,
      candidates: [...(claim as ReadonlySet<Tool>)],
      steps,
      warnings: NO_WARNINGS,
    };
  }

  former(
    step: ResolveStep,
    tried: string,
    entries: ReturnType<SharedLookups["former"]>,
  ): Resolution | undefined {
    const [entry] = entries;
    if (entry === undefined) return this.claim(step, tried, undefined);
    if (entries.length > 1) {
      const tools = entries.flatMap(({ tool }) => (tool === undefined ? [] : [tool]));
      return this.claim(step, tried, new Set(tools));
    }
    const { tool, canonical, policy } = entry;
    if (tool === undefined || policy === "reject") {
      this.steps.push({ step, tried, outcome: "retired" });
      const retired = {
        outcome: "retired",
        step,
        canonical,
        steps: this.steps,
        warnings: NO_WARNINGS,
      } as const;
      return tool === undefined ? retired : { ...retired, successor: tool.canonical };
    }
    const resolved = this.claim(step, tried, tool) as Resolved;
    if (policy === "accept") return resolved;
    const warnings = [`This name is deprecated; call ${tool.canonical} by its present name.`];
    return { ...resolved, warnings, successor: tool.canonical };
  }

  /** The one claimant that the context singles out, where it does. */
  #only(claim: ReadonlySet<Tool>): Tool | undefined {
    const { server, toolbox } = this.#context;
    if (server === undefined && toolbox === undefined) return undefined;
    let only: Tool | undefined;
    for (const tool of claim) {
      if (!isMeant(tool, this.#context)) continue;
      if (only !== undefined) return undefined;
      only = tool;
    }
    return only;
  }
}
