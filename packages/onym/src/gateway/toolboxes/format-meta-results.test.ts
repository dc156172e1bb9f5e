import { describe, expect, it } from "vitest";
import {
  formatClosed,
  formatFailure,
  formatFound,
  formatOpened,
  formatToolboxList,
} from "./format-meta-results.js";

const text = (result: { readonly [key: string]: unknown }): string =>
  (result["content"] as readonly { readonly text: string }[])[0]?.text ?? "";

describe("results of the meta tools (GW-11)", () => {
  it("list toolboxes for reading and for programs", () => {
    const result = formatToolboxList([
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
    expect(text(formatToolboxList([]))).toBe("There are no toolboxes.");
  });

  it("say what opening brought, and which servers are missing", () => {
    const tool = { name: "dev__fs__read", server: "fs", toolbox: "dev", description: "Reads.\nAll." };
    const result = formatOpened("dev", [tool], [{ server: "db", reason: "it did not start" }]);
    expect(text(result)).toBe(
      'Toolbox "dev" is open: 1 tool.\n- dev__fs__read: Reads. All.\nServer "db" is missing: it did not start',
    );
    expect(result["structuredContent"]).toEqual({
      toolbox: "dev",
      open: true,
      tools: [tool],
      missing: [{ server: "db", reason: "it did not start" }],
    });
  });

  it("say what closing did", () => {
    expect(text(formatClosed("dev", { wasOpen: true }))).toBe('Toolbox "dev" is closed.');
    expect(text(formatClosed("dev", { wasOpen: false }))).toBe('Toolbox "dev" was not open.');
  });

  it("show found tools, with their arguments where no list does", () => {
    const tool = {
      name: "a",
      server: "s",
      toolbox: undefined,
      description: undefined,
      inputSchema: { type: "object" },
    };
    const result = formatFound("read", [tool]);
    expect(text(result)).toBe('1 tool for "read":\n- a\n  arguments: {"type":"object"}');
    expect(result["structuredContent"]).toEqual({
      tools: [{ name: "a", server: "s", inputSchema: { type: "object" } }],
    });
    expect(text(formatFound("read", []))).toBe('No tool found for "read".');
    expect(text(formatFound(" ", []))).toBe("No tool found.");
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
      name: "a\u202Eb\nc",
      server: "s",
      toolbox: undefined,
      description: `x\n- fake\u001B ${"😀".repeat(1_000)}`,
    };
    const shown = text(formatFound("a\nb", [hostile]));
    expect(shown.split("\n")).toHaveLength(2);
    expect(shown).toContain("a\\u{202E}b\\u{000A}c: x - fake\\u{001B}");
    expect(shown.length).toBeLessThan(500);
    expect(shown).not.toMatch(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])/);
  });
});
