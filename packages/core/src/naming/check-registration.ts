// Checks raw names when tools are registered: warns by default, refuses in strict mode (RULE-3).

import { type CatalogProblem, catalogProblem, listedToolText } from "../catalog/catalog-problem.js";
import { isLongName } from "../catalog/read-listed-tools.js";
import type { ListedTool, ToolSource } from "../catalog/source.js";
import { eachInSteps, runSteps, type Steps } from "../names/steps.js";
import { checkName } from "../profiles/check-name.js";
import { findProfile } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";

interface Registration {
  readonly sources: readonly ToolSource[];
  readonly problems: readonly CatalogProblem[];
}

interface RegistrationOptions {
  /** Whoever registers these tools names them, too: a fix says how to. */
  readonly isAuthor?: boolean;
  readonly strict: boolean;
  readonly profile?: Profile;
}

export function checkRegistration(
  sources: readonly ToolSource[],
  options: RegistrationOptions,
): Registration {
  return runSteps(registrationSteps(sources, options));
}

export function* registrationSteps(
  sources: readonly ToolSource[],
  options: RegistrationOptions,
): Steps<Registration> {
  const specification = findProfile("mcp") as Profile;
  const { profile = specification } = options;
  /** Fast path: most names are plain and have no problems. */
  const isPlain = (name: string): boolean => profile === specification && PLAIN.test(name);
  const problems: CatalogProblem[] = [];
  const kept: ToolSource[] = [];
  for (const source of sources) {
    // Canonical names do not conform to the specification by design.
    if (source.names === "canonical" || !Array.isArray(source.tools)) {
      kept.push(source);
      continue;
    }
    const refused = new Set<string | ListedTool>();
    yield* eachInSteps(source.tools as readonly (string | ListedTool)[], (tool) => {
      const name = typeof tool === "string" ? tool : tool?.name;
      // The catalog leaves out names that are too long, and reports them.
      if (typeof name !== "string" || isPlain(name) || isLongName(name)) return;
      for (const problem of checkName(name, profile)) {
        const refuses = options.strict && problem.severity === "error";
        if (refuses) refused.add(tool);
        problems.push({
          ...catalogProblem({
            ...problem,
            severity: refuses ? "error" : "warning",
            fix: options.strict || options.isAuthor === true ? problem.fix : OFFERED,
            tools: [listedToolText(source, name)],
            servers: [source.server],
          }),
          ...(problem.position === undefined ? {} : { position: problem.position }),
        });
      }
    });
    kept.push(
      refused.size === 0 ? source : { ...source, tools: source.tools.filter((tool) => !refused.has(tool)) },
    );
  }
  return { sources: kept, problems };
}

/** For users of the tools, who did not name them. `checkName` tells their author what to do. */
const OFFERED = "Onym offers the tool under a valid name, so there is nothing to do.";

const PLAIN = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,126}[A-Za-z0-9_])?$/;
