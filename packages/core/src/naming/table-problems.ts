// The problems of a naming table as a whole.

import { type CatalogProblem, catalogProblem } from "../catalog/catalog-problem.js";
import type { Tool } from "../catalog/tool.js";
import { quoteText } from "../names/escape-text.js";
import type { Profile } from "../profiles/profile.js";
import type { EndangeredName, MovedName, NamedTool } from "./assign/assign-names.js";

export function noRoom(profile: Profile, as: string, tools: readonly Tool[]): CatalogProblem {
  return catalogProblem({
    code: "no-room",
    message: `${profile.title} puts the gateway's alias ${quoteText(as)} around every name, which leaves no room for names.`,
    fix: "Register the gateway under a shorter name, and say so with naming.as or ?as=.",
    tools: tools.map((tool) => tool.canonical),
  });
}

/** Some clients add the alias to names unchanged, so one illegal character in it breaks every name. */
export function illegalAlias(profile: Profile, as: string): CatalogProblem {
  return catalogProblem({
    code: "alias-illegal",
    message: `${profile.title} puts the gateway's alias ${quoteText(as)} around every name as it is, and no provider takes the result.`,
    fix: "Register the gateway under a name of letters, digits, _ and -, and say so with naming.as or ?as=.",
  });
}

export function notNameable(profile: Profile, tools: readonly Tool[]): CatalogProblem {
  return catalogProblem({
    code: "not-nameable",
    message: `No name that keeps the pattern of ${profile.title} could be made for ${tools.length} of the tools.`,
    fix: "Widen the pattern of the profile, or pin names for these tools.",
    tools: tools.map((tool) => tool.canonical),
  });
}

export function tooManyTools(profile: Profile, count: number): readonly CatalogProblem[] {
  if (profile.maxTools === undefined || count <= profile.maxTools) return [];
  return [
    catalogProblem({
      code: "too-many-tools",
      severity: "warning",
      message: `${profile.title} takes ${profile.maxTools} tools at most; there are ${count}.`,
      fix: "Use toolFilters or toolboxes to show fewer at a time.",
    }),
  ];
}

export function movedNames(profile: Profile, moved: readonly MovedName[]): readonly CatalogProblem[] {
  return moved.map(({ tool, from, owner }) =>
    owner === undefined
      ? catalogProblem({
          code: "locked-name-illegal",
          severity: "warning",
          message: `The locked name ${quoteText(from)} no longer fits ${profile.title}; the tool has a new one, and the old one still leads to it.`,
          fix: "Check the gateway's alias, which takes room from names, or accept the change with onym lock.",
          tools: [tool.canonical],
        })
      : catalogProblem({
          code: "locked-name-ambiguous",
          severity: "warning",
          message: `The locked name ${quoteText(from)} of ${quoteText(tool.canonical)} is now the canonical name of another tool; it leads to neither, and the tool has a new name.`,
          fix: 'Call the tool by its new name, or give the other server another "integration".',
          tools: [tool.canonical, owner.canonical],
        }),
  );
}

export function endangeredNames(
  profile: Profile,
  endangered: readonly EndangeredName[],
): readonly CatalogProblem[] {
  return endangered.map(({ tool, name, meets }) =>
    catalogProblem({
      code: "locked-name-endangered",
      severity: "warning",
      message:
        meets === undefined
          ? `The locked name ${quoteText(name)} does not fit what is known of ${profile.title} today; it is kept, and the client may refuse or change it.`
          : `${profile.title} takes the locked names ${quoteText(meets)} and ${quoteText(name)} for one; both are kept, and the client may call the wrong tool or neither.`,
      fix: `Give the tool another name with "naming": { "pins": { "NEW_NAME": ${JSON.stringify(tool.canonical)} } }; the old one stays callable.`,
      tools: [tool.canonical],
    }),
  );
}

/** Only pins that were removed later, or an edited lock, lead to this, and nobody but the operator knows which. */
export function swappedNames(
  profile: Profile,
  swapped: readonly (readonly NamedTool[])[],
): readonly CatalogProblem[] {
  return swapped.map((group) => {
    const [first, second] = group as [NamedTool, NamedTool];
    const others = group.length > 2 ? `, and so on for ${group.length} tools` : "";
    return catalogProblem({
      code: "locked-names-swapped",
      severity: "warning",
      message: `In ${profile.title} the lock gives tools each other's names: ${quoteText(first.name)} to ${quoteText(first.tool.canonical)}, ${quoteText(second.name)} to ${quoteText(second.tool.canonical)}${others}.`,
      fix: `Restore the lock from version control if somebody edited it. If the names are meant, pin them: "naming": { "pins": { ${JSON.stringify(first.name)}: ${JSON.stringify(first.tool.canonical)} } }.`,
      tools: group.map(({ tool }) => tool.canonical),
    });
  });
}

export function refusedPins(
  profile: Profile,
  refused: readonly { readonly name: string; readonly reason: "illegal" | "taken" }[],
): readonly CatalogProblem[] {
  return refused.map(({ name, reason }) =>
    reason === "illegal"
      ? catalogProblem({
          code: "pin-illegal",
          severity: "warning",
          message: `The pinned name ${quoteText(name)} is not legal in ${profile.title}; the tool keeps its usual name there.`,
          fix: "Pin a name that every profile takes: letters, digits and single underscores.",
        })
      : catalogProblem({
          code: "pin-taken",
          message: `The pinned name ${quoteText(name)} belongs to another tool, to the lock or to the gateway itself; the pin is not used.`,
          fix: "Pin another name: one that was given out never goes to another tool.",
        }),
  );
}
