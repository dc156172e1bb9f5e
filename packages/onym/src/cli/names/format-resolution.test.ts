import { buildSnapshot } from "@onym/core";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../output/wording.js";
import { formatResolution } from "./format-resolution.js";

function told(sources: Parameters<typeof buildSnapshot>[0], text: string): readonly string[] {
  const snapshot = buildSnapshot(sources);
  const reasons = { problems: snapshot.problems, hidden: undefined };
  return formatResolution(
    snapshot.explain(text)[0] ?? "",
    { text, resolution: snapshot.resolve(text) },
    reasons,
  );
}

const dev = { toolbox: "dev", server: "github", tools: ["search"] };
const ops = { toolbox: "ops", server: "github", tools: ["search"] };

describe("tellVerdict", () => {
  it("tells candidates in toolboxes apart and how to choose (CANON-7)", () => {
    const [firstLine, hint] = told([dev, ops], "github@1/search@1");
    expect(firstLine).toContain('"dev:github@1/search@1", "ops:github@1/search@1"');
    expect(hint).toBe("  Add --toolbox dev, or --toolbox ops.");
  });

  it("asks for as few flags as it takes", () => {
    const docs = { toolbox: "ops", server: "docs", tools: ["search"] };
    expect(told([ops, docs], "search")[1]).toBe("  Add --server docs, or --server github.");
    expect(told([dev, ops, docs], "search")[1]).toContain("--toolbox dev --server github");
    const plain = ["a", "b"].map((server) => ({ server, tools: ["search"] }));
    expect(told(plain, "search")[1]).toBe("  Add --server a, or --server b.");
  });

  it("leaves other verdicts as they are", () => {
    expect(told([dev], "nothing-like-it")).toHaveLength(1);
  });
});

it.each([
  ["a/b.lock", "a/b.lock"],
  ["my file", "'my file'"],
  ["it's", "'it'\\''s'"],
  ["a\u202Eb", "'a\\u{202E}b'"],
])("shellWord(%j)", (text, word) => {
  expect(shellWord(text)).toBe(word);
});
