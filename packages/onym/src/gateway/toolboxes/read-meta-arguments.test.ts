import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFindToolsArguments, readToolboxArguments, readUseToolArguments } from "./read-meta-arguments.js";

describe("readUseToolArguments", () => {
  const use = (name: string, more: object = {}) => ({
    ok: true,
    value: { name, server: undefined, toolbox: undefined, arguments: {}, ...more },
  });

  it.each([
    ["a name", { tool: "dev__fs__read" }, use("dev__fs__read")],
    [
      "parts (BOX-6)",
      { toolbox: "dev", server: "fs", tool: "read" },
      use("read", { toolbox: "dev", server: "fs" }),
    ],
    [
      "parts with name",
      { toolbox: "dev", server: "fs", name: "read" },
      use("read", { toolbox: "dev", server: "fs" }),
    ],
    [
      "parts inside",
      { tool: { toolbox: "dev", server: "fs", name: "read" } },
      use("read", { toolbox: "dev", server: "fs" }),
    ],
    [
      "the keys of mcp-workbench (BOX-9)",
      { toolbox_name: "dev", tool_name: "dev__fs__read", arguments: { x: 1 } },
      use("dev__fs__read", { toolbox: "dev", arguments: { x: 1 } }),
    ],
    ["arguments", { tool: "a", arguments: { x: 1 } }, use("a", { arguments: { x: 1 } })],
    ["arguments as text", { tool: "a", arguments: '{"x":1}' }, use("a", { arguments: { x: 1 } })],
    ["no arguments", { tool: "a", arguments: null }, use("a")],
    ["empty parts", { tool: "a", server: "", toolbox: null }, use("a")],
    ["unknown keys", { tool: "a", reason: "why", __proto: 1 }, use("a")],
    ["everything as text", '{"tool":"a"}', use("a")],
    ["names of object members", { tool: "constructor" }, use("constructor")],
  ])("takes %s", (_, given, read) => {
    expect(readUseToolArguments(given)).toEqual(read);
  });

  it.each([
    ["nothing", undefined, /"tool" is missing/],
    ["no name", { server: "fs" }, /"tool" is missing/],
    ["a name that is no text", { tool: 5 }, /"tool" must be a text/],
    ["a server that is no text", { tool: "a", server: 5 }, /"server" must be a text/],
    ["a toolbox that is no text", { tool: "a", toolbox: [] }, /"toolbox" must be a text/],
    ["a list", [], /must be a JSON object/],
    ["arguments that are a list", { tool: "a", arguments: [] }, /"arguments" must be a JSON object\./],
    ["arguments that are no JSON", { tool: "a", arguments: "{" }, /or the text of one/],
    ["arguments that are the text of a list", { tool: "a", arguments: "[1]" }, /must be a JSON object/],
  ])("explains %s", (_, given, problem) => {
    expect(readUseToolArguments(given)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
  });

  it("passes arguments on untouched", () => {
    const args = JSON.parse('{"__proto__":{"x":1},"n":1.0}') as object;
    const read = readUseToolArguments({ tool: "a", arguments: args });
    expect(read.ok && read.value.arguments).toBe(args);
  });
});

describe("readFindToolsArguments", () => {
  it.each([
    [{ query: "a" }, { query: "a", toolbox: undefined, limit: 10 }],
    [undefined, { query: "", toolbox: undefined, limit: 10 }],
    [
      { query: "a", toolbox: "dev", limit: 3 },
      { query: "a", toolbox: "dev", limit: 3 },
    ],
    [
      { query: "a", limit: "3" },
      { query: "a", toolbox: undefined, limit: 3 },
    ],
    [
      { query: "a", limit: 1e9 },
      { query: "a", toolbox: undefined, limit: 100 },
    ],
  ])("takes %j", (given, value) => {
    expect(readFindToolsArguments(given)).toEqual({ ok: true, value });
  });

  it.each([
    [{ query: 1 }],
    [{ query: "a", limit: 0 }],
    [{ limit: 1.5 }],
    [{ limit: "x" }],
    [{ toolbox: {} }],
    [5],
  ])("refuses %j", (given) => {
    expect(readFindToolsArguments(given).ok).toBe(false);
  });
});

describe("readToolboxArguments", () => {
  it("takes the toolbox, under any of its keys (BOX-9)", () => {
    expect(readToolboxArguments({ toolbox: "dev" })).toEqual({ ok: true, value: { toolbox: "dev" } });
    expect(readToolboxArguments({ toolbox_name: "dev" })).toEqual({ ok: true, value: { toolbox: "dev" } });
    expect(readToolboxArguments({ name: "dev" })).toEqual({ ok: true, value: { toolbox: "dev" } });
    expect(readToolboxArguments({})).toEqual({ ok: false, problem: '"toolbox" is missing.' });
  });
});

it("long names and questions are refused, and texts with many values are not parsed (SAFE-4)", () => {
  const long = "a".repeat(4_097);
  for (const given of [{ tool: long }, { tool: "a", server: long }, { tool: "a", toolbox: long }])
    expect(readUseToolArguments(given).ok).toBe(false);
  expect(readUseToolArguments({ tool: long.slice(1) }).ok).toBe(true);
  expect([readFindToolsArguments({ query: long }).ok, readToolboxArguments({ toolbox: long }).ok]).toEqual([
    false,
    false,
  ]);
  const textOf = (values: number) => `{"x":[${"0,".repeat(values)}0]}`;
  const passed = (values: number) => readUseToolArguments({ tool: "a", arguments: textOf(values) });
  expect(passed(10_000).ok).toBe(true);
  expect(passed(20_000)).toEqual({ ok: false, problem: '"arguments" hold too many values.' });
});

it("no arguments make a reader throw", () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom("tool", "name", "query", "limit", "arguments"), fc.jsonValue()),
      (any, keyed) => {
        for (const read of [readUseToolArguments, readFindToolsArguments, readToolboxArguments])
          for (const given of [any, keyed, JSON.stringify(keyed)])
            expect(typeof read(given).ok).toBe("boolean");
      },
    ),
  );
});
