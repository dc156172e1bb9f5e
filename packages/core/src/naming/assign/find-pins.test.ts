import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { findPins } from "./find-pins.js";

const { tools } = buildCatalog([
  { server: "docs", tools: ["search", "read"] },
  { toolbox: "dev", server: "fs", tools: ["read"] },
  { toolbox: "prod", server: "fs", tools: ["read"] },
]);

function find(pins: Readonly<Record<string, string>>) {
  return findPins(pins, {
    findCanonical: (canonical) =>
      tools.filter((tool) => tool.canonical === canonical || tool.canonical.endsWith(`:${canonical}`)),
    isAwaited: (canonical) => canonical.startsWith("away@"),
    nearestTo: (canonical) => (canonical === "docs@1/serch@1" ? "docs@1/search@1" : undefined),
  });
}

describe("pins (NAME-1)", () => {
  it("are identities by name", () => {
    const { keys, problems } = find({ s: "docs@1/search@1", r: "dev:fs@1/read@1" });
    expect([...keys]).toEqual([
      ["r", '["toolbox","dev","fs","read"]'],
      ["s", '["namespaced","docs","search"]'],
    ]);
    expect(problems).toEqual([]);
  });

  it("to what is no tool are told, with what is near, unless its server is still awaited", () => {
    const { keys, problems } = find({ a: "docs@1/serch@1", b: "docs@1/zzz@1", c: "away@1/x@1" });
    expect(keys.size).toBe(0);
    expect(problems).toEqual([
      {
        code: "pin-to-nothing",
        severity: "warning",
        message: 'The name "a" is pinned to "docs@1/serch@1", which is no tool here.',
        fix: 'Did you mean "docs@1/search@1"? Correct the canonical name in naming.pins, or take the pin out.',
        tools: ["docs@1/serch@1"],
        servers: [],
      },
      {
        code: "pin-to-nothing",
        severity: "warning",
        message: 'The name "b" is pinned to "docs@1/zzz@1", which is no tool here.',
        fix: "Correct the canonical name in naming.pins, or take the pin out.",
        tools: ["docs@1/zzz@1"],
        servers: [],
      },
    ]);
  });

  it("to a tool of several toolboxes, and second ones of one tool, are not used", () => {
    const { keys, problems } = find({ z: "docs@1/search@1", b: "fs@1/read@1", a: "docs@1/search@1" });
    expect([...keys.keys()]).toEqual(["a"]);
    expect(problems).toEqual([
      {
        code: "pin-ambiguous",
        severity: "warning",
        message: 'The name "b" is pinned to "fs@1/read@1", which is in several toolboxes.',
        fix: 'Say which one in naming.pins: "dev:fs@1/read@1" or "prod:fs@1/read@1".',
        tools: ["dev:fs@1/read@1", "prod:fs@1/read@1"],
        servers: [],
      },
      {
        code: "pin-twice",
        severity: "warning",
        message: '"docs@1/search@1" is pinned to "a" already; "z" is not used.',
        fix: "Keep one pin for each tool; declare the other name in renames if it is to lead there.",
        tools: ["docs@1/search@1"],
        servers: [],
      },
    ]);
  });
});
