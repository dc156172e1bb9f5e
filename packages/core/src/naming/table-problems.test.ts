import { describe, expect, it } from "vitest";
import { buildCatalog } from "../catalog/build-catalog.js";
import type { Tool } from "../catalog/tool.js";
import { findProfile } from "../profiles/find-profile.js";
import type { Profile } from "../profiles/profile.js";
import {
  illegalAlias,
  movedNames,
  noRoom,
  notNameable,
  refusedPins,
  tooManyTools,
} from "./table-problems.js";
import { explainWhy } from "./wish/why.js";

const openai = findProfile("openai") as Profile;
const profile: Profile = { ...openai, title: "Some client", maxTools: 2 };
const boundless: Profile = { ...profile, maxTools: undefined };
const [a, b] = buildCatalog([{ server: "s", tools: ["a", "b"] }]).tools as readonly [Tool, Tool];

describe("what is wrong with a table, in words (NAME-8)", () => {
  it("says that an alias leaves no room, or that nobody takes it", () => {
    expect(noRoom(profile, "acme", [a, b])).toEqual({
      code: "no-room",
      severity: "error",
      message: `Some client puts the gateway's alias "acme" around every name, which leaves no room for names.`,
      fix: "Register the gateway under a shorter name, and say so with naming.as or ?as=.",
      tools: ["s@1/a@1", "s@1/b@1"],
      servers: [],
    });
    expect(illegalAlias(profile, "a b")).toEqual({
      code: "alias-illegal",
      severity: "error",
      message: `Some client puts the gateway's alias "a b" around every name as it is, and no provider takes the result.`,
      fix: "Register the gateway under a name of letters, digits, _ and -, and say so with naming.as or ?as=.",
      tools: [],
      servers: [],
    });
  });

  it("says which tools have no name, and that there are too many", () => {
    expect(notNameable(profile, [b])).toEqual({
      code: "not-nameable",
      severity: "error",
      message: "No name that keeps the pattern of Some client could be made for 1 of the tools.",
      fix: "Widen the pattern of the profile, or pin names for these tools.",
      tools: ["s@1/b@1"],
      servers: [],
    });
    expect(tooManyTools(profile, 2)).toEqual([]);
    expect(tooManyTools(boundless, 9_999)).toEqual([]);
    expect(tooManyTools(profile, 3)).toEqual([
      {
        code: "too-many-tools",
        severity: "warning",
        message: "Some client takes 2 tools at most; there are 3.",
        fix: "Use toolFilters or toolboxes to show fewer at a time.",
        tools: [],
        servers: [],
      },
    ]);
  });

  it("says which names on record their tools had to give up", () => {
    expect(
      movedNames(profile, [
        { tool: a, from: "old" },
        { tool: a, from: "s@1/b@1", owner: b },
      ]),
    ).toEqual([
      {
        code: "locked-name-illegal",
        severity: "warning",
        message:
          'The locked name "old" no longer fits Some client; the tool has a new one, and the old one still leads to it.',
        fix: "Check the gateway's alias, which takes room from names, or accept the change with onym lock.",
        tools: ["s@1/a@1"],
        servers: [],
      },
      {
        code: "locked-name-ambiguous",
        severity: "warning",
        message:
          'The locked name "s@1/b@1" of "s@1/a@1" is now the canonical name of another tool; it leads to neither, and the tool has a new name.',
        fix: 'Call the tool by its new name, or give the other server another "integration".',
        tools: ["s@1/a@1", "s@1/b@1"],
        servers: [],
      },
    ]);
  });

  it("says which pins are not used", () => {
    expect(
      refusedPins(profile, [
        { name: "a b", reason: "illegal" },
        { name: "x", reason: "taken" },
      ]),
    ).toEqual([
      {
        code: "pin-illegal",
        severity: "warning",
        message: 'The pinned name "a b" is not legal in Some client; the tool keeps its usual name there.',
        fix: "Pin a name that every profile takes: letters, digits and single underscores.",
        tools: [],
        servers: [],
      },
      {
        code: "pin-taken",
        severity: "error",
        message:
          'The pinned name "x" belongs to another tool, to the lock or to the gateway itself; the pin is not used.',
        fix: "Pin another name: one that was given out never goes to another tool.",
        tools: [],
        servers: [],
      },
    ]);
  });
});

it.each([
  [{ kind: "wish" }, "the name its style gives it"],
  [{ kind: "fitted", wish: "w" }, '"w" with the characters this profile takes'],
  [{ kind: "unrepeated", wish: "w" }, `"w" is too long; the tool's own name already says whose it is`],
  [{ kind: "cut", wish: "w" }, '"w" is too long; cut, with a digest of the identity'],
  [{ kind: "numbered", wish: "w", takenBy: "t" }, '"w" is taken by "t"; numbered'],
  [{ kind: "locked", wish: "w" }, 'given out before and kept by the lock; today it would be "w"'],
  [{ kind: "pinned" }, "pinned by the operator"],
] as const)("says why a name is as it is: %j (RES-5)", (why, words) => {
  expect(explainWhy(why)).toBe(words);
});
