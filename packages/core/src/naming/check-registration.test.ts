import { describe, expect, it } from "vitest";
import type { ToolSource } from "../catalog/source.js";
import { checkName } from "../profiles/check-name.js";
import { profileOf } from "../profiles/find-profile.js";
import { checkRegistration } from "./check-registration.js";

const NAMES = [
  "a",
  "_",
  "ab",
  "read_file",
  "get.user-2",
  "-a",
  "a.",
  ".",
  "",
  "read file",
  "a,b",
  "é",
  "a".repeat(127),
  "a".repeat(128),
  "a".repeat(129),
];

describe("raw names when they arrive (RULE-3)", () => {
  it.each(["mcp", "openai", "universal"])(
    "are told of as checkName tells of them in %s, as warnings",
    (id) => {
      const profile = profileOf(id);
      for (const name of NAMES) {
        const { sources, problems } = checkRegistration([{ server: "s", tools: [name] }], {
          strict: false,
          profile,
        });
        expect(sources).toEqual([{ server: "s", tools: [name] }]);
        expect(problems.map(({ code, message }) => ({ code, message }))).toEqual(
          checkName(name, profile).map(({ code, message }) => ({ code, message })),
        );
        expect(new Set(problems.map(({ severity }) => severity))).toEqual(
          new Set(problems.length === 0 ? [] : ["warning"]),
        );
      }
    },
  );

  it("need nothing done by who uses the tool; where they are refused, another name helps", () => {
    const fixOf = (strict: boolean) =>
      checkRegistration([{ server: "s", tools: ["a b"] }], { strict }).problems.map(({ fix }) => fix);
    expect(fixOf(false)).toEqual(["Onym offers the tool under a valid name, so there is nothing to do."]);
    expect(fixOf(true)).toEqual(['Use "a_b".']);
  });

  it("are held against the specification unless another profile is named", () => {
    const tools = ["a.b", "a b"];
    const codes = checkRegistration([{ server: "s", tools }], { strict: false }).problems.map(
      ({ code }) => code,
    );
    expect(codes).toEqual(["spaces"]);
  });

  it("are told of with tool, server and place", () => {
    const { problems } = checkRegistration([{ toolbox: "dev", server: "s", tools: ["a b", "-a"] }], {
      strict: false,
    });
    expect(problems).toMatchObject([
      { code: "spaces", tools: ["dev:s/a b"], servers: ["s"], position: 1 },
      { code: "edge-dash", tools: ["dev:s/-a"], servers: ["s"] },
    ]);
  });

  it("are refused where that is asked for and they are illegal; the other tools stay", () => {
    const illegal = { name: "a b", title: "A" };
    const source: ToolSource = { server: "s", tools: ["fine", illegal, "-edge"] };
    const { sources, problems } = checkRegistration([source], { strict: true });
    expect(sources).toEqual([{ server: "s", tools: ["fine", "-edge"] }]);
    expect(problems.map(({ code, severity }) => [code, severity])).toEqual([
      ["spaces", "error"],
      ["edge-dash", "warning"],
    ]);
  });

  it("are the business of others where they are canonical, no names, or longer than any name", () => {
    const sources = [
      { server: "s", names: "canonical", tools: ["a@1/b c@1"] },
      { server: "s", tools: [7, null, {}, { name: 7 }, "a".repeat(2_000)] },
      { server: "s", tools: "none" },
    ] as unknown as readonly ToolSource[];
    const checked = checkRegistration(sources, { strict: true });
    expect(checked.problems).toEqual([]);
    checked.sources.forEach((source, at) => {
      expect(source).toBe(sources[at]);
    });
  });
});
