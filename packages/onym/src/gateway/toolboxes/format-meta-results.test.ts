import { describe, expect, it } from "vitest";
import { runAtOnce } from "../../model/run-slices.js";
import { formatFailure, formatFound, OWN_RESULTS, type ToolSummary } from "./format-meta-results.js";
import { WORKBENCH_RESULTS } from "./format-workbench-results.js";

const READ: ToolSummary = {
  name: "dev__fs__read",
  raw: "read",
  server: "fs",
  toolbox: "dev",
  title: undefined,
  description: "Reads.\nAll.",
  inputSchema: { type: "object" },
  annotations: { readOnlyHint: true },
};
const OPENED = {
  toolbox: "dev",
  description: "Development",
  connected: 1,
  areListed: true,
  findTool: "find_tools",
  tools: [READ],
  more: 0,
  missing: [{ server: "db", reason: "it did not start" }],
};

const NONE = { tools: [], more: 0 };

const text = (result: { readonly [key: string]: unknown }): string =>
  (result["content"] as readonly { readonly text: string }[])[0]?.text ?? "";

describe("results of the meta tools (GW-11)", () => {
  it("list toolboxes for reading and for programs", () => {
    const result = OWN_RESULTS.list([
      { toolbox: "dev", description: "Development", servers: 2, tools: 14, isOpen: true },
      { toolbox: "prod", description: undefined, servers: 1, tools: undefined, isOpen: false },
    ]);
    expect(text(result)).toBe(
      "Toolboxes:\n- dev (2 servers, 14 tools, open): Development\n- prod (1 server, closed)",
    );
    expect(result["structuredContent"]).toEqual({
      toolboxes: [
        { name: "dev", description: "Development", servers: 2, tools: 14, open: true },
        { name: "prod", servers: 1, open: false },
      ],
    });
    expect(text(OWN_RESULTS.list([]))).toBe("There are no toolboxes.");
  });

  it("say what opening brought, and which servers are missing", () => {
    const listed = { ...READ, inputSchema: undefined };
    const result = runAtOnce(OWN_RESULTS.opened({ ...OPENED, tools: [listed] }));
    expect(text(result)).toBe(
      'Toolbox "dev" is open: 1 tool.\n- dev__fs__read: Reads. All.\nServer "db" is missing: it did not start',
    );
    expect(result["structuredContent"]).toEqual({
      toolbox: "dev",
      open: true,
      tools: [{ name: "dev__fs__read", server: "fs", toolbox: "dev", description: "Reads.\nAll." }],
      missing: OPENED.missing,
    });
    const hidden = runAtOnce(OWN_RESULTS.opened({ ...OPENED, areListed: false }));
    expect(hidden["structuredContent"]).toMatchObject({ tools: [{ inputSchema: { type: "object" } }] });
  });

  it("say how many tools are left out for length, and how to find them (SAFE-4)", () => {
    const opened = runAtOnce(OWN_RESULTS.opened({ ...OPENED, more: 7, findTool: "onym_find_tools" }));
    expect(text(opened)).toContain("is open: 8 tools.\n");
    expect(text(opened)).toContain("\n… and 7 more; use onym_find_tools to find them.\n");
    expect(opened["structuredContent"]).toMatchObject({ tools: [{ name: READ.name }], more: 7 });
    const found = runAtOnce(formatFound("read", { tools: [READ], more: 7 }));
    expect(text(found)).toMatch(/^8 tools for "read":\n(.*\n)*… and 7 more, left out for length/);
    expect(found["structuredContent"]).toMatchObject({ more: 7 });
    const workbench = runAtOnce(WORKBENCH_RESULTS.opened({ ...OPENED, more: 7 }));
    expect(workbench["structuredContent"]).toMatchObject({
      more: "… and 7 more; use find_tools to find them.",
      tools_registered: 8,
    });
  });

  it("say what closing did", () => {
    expect(text(OWN_RESULTS.closed("dev", { wasOpen: true }))).toBe('Toolbox "dev" is closed.');
    expect(text(OWN_RESULTS.closed("dev", { wasOpen: false }))).toBe('Toolbox "dev" was not open.');
  });

  it("show found tools, with their arguments where no list does", () => {
    const tool = { ...READ, name: "a", server: "s", toolbox: undefined, description: undefined };
    const result = runAtOnce(formatFound("read", { tools: [tool], more: 0 }));
    expect(text(result)).toBe('1 tool for "read":\n- a\n  arguments: {"type":"object"}');
    expect(result["structuredContent"]).toEqual({
      tools: [{ name: "a", server: "s", inputSchema: { type: "object" } }],
    });
    expect(text(runAtOnce(formatFound("read", NONE)))).toBe('No tool found for "read".');
    expect(text(runAtOnce(formatFound(" ", NONE)))).toBe("No tool found.");
  });

  it("name toolbox, server and tool in a failure (GW-6)", () => {
    const result = formatFailure({
      problem: "The tool is unknown.",
      hint: "Look.",
      toolbox: "dev",
      server: "fs",
      tool: "x",
    });
    expect(result["isError"]).toBe(true);
    expect(text(result)).toBe('The tool is unknown. (toolbox "dev", server "fs", tool "x") Look.');
    expect(result["structuredContent"]).toEqual({
      error: { message: "The tool is unknown.", toolbox: "dev", server: "fs", tool: "x", hint: "Look." },
    });
    expect(text(formatFailure({ problem: "No." }))).toBe("No.");
  });

  it("keep strangers' text on its line and within bounds (SAFE-1)", () => {
    const hostile = {
      ...READ,
      name: "a\u202Eb\nc",
      description: `x\n- fake\u001B ${"😀".repeat(1_000)}`,
      inputSchema: undefined,
    };
    const shown = text(runAtOnce(formatFound("a\nb", { tools: [hostile], more: 0 })));
    expect(shown.split("\n")).toHaveLength(2);
    expect(shown).toContain("a\\u{202E}b\\u{000A}c: x - fake\\u{001B}");
    expect(shown.length).toBeLessThan(500);
    expect(shown).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});

describe("results as in mcp-workbench (BOX-9)", () => {
  const json = (result: { readonly [key: string]: unknown }): unknown => {
    expect(JSON.parse(text(result))).toEqual(result["structuredContent"]);
    return result["structuredContent"];
  };

  it("list toolboxes with counts, estimated where nobody asked", () => {
    const result = WORKBENCH_RESULTS.list([
      { toolbox: "dev", description: "Development", servers: 2, tools: 14, isOpen: true },
      { toolbox: "prod", description: undefined, servers: 2, tools: undefined, isOpen: false },
    ]);
    expect(json(result)).toEqual({
      toolboxes: [
        { name: "dev", description: "Development", tool_count: 14, is_open: true },
        { name: "prod", description: "", tool_count: 20, is_open: false },
      ],
      total_count: 2,
      open_count: 1,
    });
  });

  it("tell what opening brought, and that it is in the list where it is", () => {
    const source = { source_server: "fs", toolbox_name: "dev" };
    const opened = {
      toolbox: "dev",
      description: "Development",
      servers_connected: 1,
      tools: [
        {
          name: "dev__fs__read",
          description: "Reads.\nAll.",
          inputSchema: { type: "object" },
          annotations: { readOnlyHint: true },
          ...source,
          server: "fs",
          toolbox: "dev",
          _meta: { ...source, original_name: "read" },
        },
      ],
      missing: OPENED.missing,
    };
    const registered = { tools_registered: 1, message: expect.stringContaining("dev") };
    expect(json(runAtOnce(WORKBENCH_RESULTS.opened(OPENED)))).toEqual({ ...opened, ...registered });
    expect(json(runAtOnce(WORKBENCH_RESULTS.opened({ ...OPENED, areListed: false })))).toEqual(opened);
  });

  it("closes in a sentence, and what is not open with an error", () => {
    expect(text(WORKBENCH_RESULTS.closed("dev", { wasOpen: true }))).toContain("dev");
    expect(WORKBENCH_RESULTS.closed("dev", { wasOpen: false })["isError"]).toBe(true);
  });
});
