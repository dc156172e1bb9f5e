// What clients make of raw names without Onym: each server registered by itself, under its own id.

import { checkName, type Problem, type Profile, quoteText, sentName, type Tool } from "@onym/core";
import { nameServer } from "../../../output/wording.js";

/** What would happen to a tool's raw name in a client. */
export type RawProblem = Pick<Problem, "code" | "severity" | "message" | "fix">;

/** The tools that one client would show under one name. */
export interface Collision {
  readonly sent: string;
  readonly tools: readonly Tool[];
}

/** Names that meet when the client or provider gets them all. A specification gets none. */
export function findCollisions(tools: readonly Tool[], profile: Profile): readonly Collision[] {
  if (profile.kind === "specification") return [];
  const bySent = new Map<string, Tool[]>();
  for (const tool of tools) {
    const sent = sentName(tool.raw, profile, tool.server);
    const group = bySent.get(sent);
    if (group === undefined) bySent.set(sent, [tool]);
    else group.push(tool);
  }
  return [...bySent].filter(([, group]) => group.length > 1).map(([sent, group]) => ({ sent, tools: group }));
}

/** The gravest problem of each tool's raw name, by tool; tools without one are not in the map. */
export function rawProblems(tools: readonly Tool[], profile: Profile): ReadonlyMap<Tool, RawProblem> {
  const gravest = new Map<Tool, RawProblem>();
  for (const tool of tools) {
    const problems = checkName(tool.raw, profile, { as: tool.server });
    const problem = problems.find(({ severity }) => severity === "error") ?? problems[0];
    if (problem !== undefined) gravest.set(tool, problem);
  }
  for (const collision of findCollisions(tools, profile)) {
    for (const tool of collision.tools) {
      if (gravest.get(tool)?.severity !== "error") gravest.set(tool, collisionProblem(collision, profile));
    }
  }
  return gravest;
}

/** A provider refuses a request with two tools of one name; clients drop one of them or take it for the other. */
export function collisionProblem({ sent, tools }: Collision, profile: Profile): RawProblem {
  const servers = [...new Set(tools.map(nameServer))];
  const shown = servers.slice(0, 5);
  const more = servers.length > 5 ? ` and ${servers.length - 5} more` : "";
  return {
    code: "collision",
    severity: "error",
    message: `${profile.id} gets the name ${quoteText(sent)} from ${shown.join(", ")}${more}.`,
    fix: "Put Onym in front, which keeps them apart, or rename all but one.",
  };
}
