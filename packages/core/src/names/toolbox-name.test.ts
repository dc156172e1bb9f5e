import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatToolboxName, isToolboxId, parseToolboxName, validateToolboxName } from "./toolbox-name.js";

describe("parseToolboxName", () => {
  it.each([
    ["dev__filesystem__read_file", "dev", "filesystem", "read_file"],
    ["prod__memory__store_value_async", "prod", "memory", "store_value_async"],
    ["test__server__tool__with__underscores", "test", "server", "tool__with__underscores"],
    ["dev__filesystem___x", "dev", "filesystem", "_x"],
    ["a__b__c__", "a", "b", "c__"],
    ["a__b____", "a", "b", "__"],
    ["__proto____x__y", undefined, undefined, undefined],
  ])("reads %s (BOX-1)", (text, toolbox, server, originalTool) => {
    expect(parseToolboxName(text)).toEqual(toolbox === undefined ? null : { toolbox, server, originalTool });
  });

  it.each([
    "dev__filesystem_read_file",
    "dev_filesystem__read_file",
    "__filesystem__read_file",
    "dev____read_file",
    "dev__filesystem__",
    "",
    "_",
    "__",
    "____",
    "_____",
  ])("returns null for %j (BOX-2)", (text) => expect(parseToolboxName(text)).toBeNull());

  it("gives every tool name back that was formatted with allowed ids (BOX-4)", () => {
    const id = fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/).filter(isToolboxId);
    const tool = fc.oneof(fc.string({ unit: "binary", minLength: 1 }), fc.stringMatching(/^[_a]{1,8}$/));
    fc.assert(
      fc.property(id, id, tool, (toolbox, server, originalTool) => {
        expect(parseToolboxName(formatToolboxName({ toolbox, server, originalTool }))).toEqual({
          toolbox,
          server,
          originalTool,
        });
      }),
      { numRuns: 10_000 },
    );
  });

  it("never throws (BOX-2)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        parseToolboxName(text);
        validateToolboxName(text);
        validateToolboxName(text, { strict: true });
      }),
    );
    expect(parseToolboxName("_".repeat(10_000))).toBeNull();
  });
});

describe("isToolboxId", () => {
  it.each([
    ["dev", true],
    ["my-server_2", true],
    ["-a-", true],
    ["", false],
    ["_a", false],
    ["a_", false],
    ["a__b", false],
    ["a.b", false],
    ["ä", false],
  ])("says of %j: %s (BOX-4)", (id, verdict) => expect(isToolboxId(id)).toBe(verdict));
});

describe("validateToolboxName", () => {
  const separators =
    "Tool name must contain exactly 2 double underscores (format: {toolbox}__{server}__{tool})";
  const empty = "Tool name components (toolbox, server, tool) cannot be empty";
  const characters =
    "Toolbox and server names should contain only alphanumeric characters, hyphens, and underscores";

  it.each([
    ["dev__filesystem_read_file", separators],
    ["dev_filesystem__read_file", separators],
    ["", separators],
    ["__filesystem__read_file", empty],
    ["dev____read_file", empty],
    ["dev__filesystem__", empty],
    ["d v__fs__x", characters],
    ["dev__f.s__x", characters],
  ])("explains why %j is refused (BOX-3)", (text, error) => {
    expect(validateToolboxName(text)).toEqual({ valid: false, error });
  });

  it("takes separators inside the tool, unless it is strict (BOX-3)", () => {
    expect(validateToolboxName("dev__fs__my__special__tool")).toEqual({ valid: true });
    expect(validateToolboxName("dev__fs__my__special__tool", { strict: true })).toEqual({
      valid: false,
      error: separators,
    });
    expect(validateToolboxName("dev__fs__read", { strict: true })).toEqual({ valid: true });
  });
});
