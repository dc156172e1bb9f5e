// Raw names are checked when they arrive: a warning by default, a refusal when asked to be strict (RULE-3).

import { type CatalogProblem, catalogProblem, listedToolText } from "../catalog/catalog-problem.js";
import { isLongName } from "../catalog/read-listed-tools.js";
import type { ListedTool, ToolSource } from "../catalog/source.js";
import { checkName } from "../profiles/check-name.js";
import { findProfile } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";

export function checkRegistration(
  sources: readonly ToolSource[],
  options: { readonly strict: boolean; readonly profile?: Profile },
): { readonly sources: readonly ToolSource[]; readonly problems: readonly CatalogProblem[] } {
  const specification = findProfile("mcp") as Profile;
  const { profile = specification } = options;
  /** Nothing to say about these; most names are like this. */
  const isPlain = (name: string): boolean => profile === specification && PLAIN.test(name);
  const problems: CatalogProblem[] = [];
  const kept = sources.map((source) => {
    // Canonical names are outside the specification by design.
    if (source.names === "canonical" || !Array.isArray(source.tools)) return source;
    const refused = new Set<string | ListedTool>();
    for (const tool of source.tools) {
      const name = typeof tool === "string" ? tool : tool?.name;
      // The catalog leaves out what is longer than any name, and says so.
      if (typeof name !== "string" || isPlain(name) || isLongName(name)) continue;
      for (const problem of checkName(name, profile)) {
        const refuses = options.strict && problem.severity === "error";
        if (refuses) refused.add(tool);
        problems.push({
          ...catalogProblem({
            ...problem,
            severity: refuses ? "error" : "warning",
            tools: [listedToolText(source, name)],
            servers: [source.server],
          }),
          ...(problem.position === undefined ? {} : { position: problem.position }),
        });
      }
    }
    return refused.size === 0
      ? source
      : { ...source, tools: source.tools.filter((tool) => !refused.has(tool)) };
  });
  return { sources: kept, problems };
}

const PLAIN = /^[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,126}[A-Za-z0-9_])?$/;
