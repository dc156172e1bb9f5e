import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { formatInstructions, type InstructionsInput, instructionsFor } from "./instructions-for.js";

const EMPTY: InstructionsInput = {
  toolboxes: [],
  mode: "static",
  openTool: "onym_open_toolbox",
  useTool: "onym_use_tool",
  downstreams: [],
};
const say = (text: string, server = "fs") =>
  formatInstructions({ ...EMPTY, downstreams: [{ server, toolbox: undefined, text }] });

describe("formatInstructions", () => {
  it("is one line where there is nothing else to say", () => {
    expect(formatInstructions(EMPTY)).toBe(
      "Onym gives access to the tools of several MCP servers through one connection.",
    );
    expect(say(" \n ")).toBe(formatInstructions(EMPTY));
  });

  it.each([
    ["static", "All toolboxes are open"],
    ["dynamic", "Open one with onym_open_toolbox, then its tools join the list"],
    ["proxy", "Open one with onym_open_toolbox, then call its tools with onym_use_tool"],
  ] as const)("lists toolboxes and how to open them in mode %s (GW-12)", (mode, how) => {
    const toolboxes = [
      { toolbox: "prod", description: undefined },
      { toolbox: "dev", description: "Development\nand more" },
    ];
    const text = formatInstructions({ ...EMPTY, mode, toolboxes });
    expect(text).toContain(how);
    expect(text).toContain("\n- dev: Development and more\n- prod");
  });

  it("puts each downstream's own words under its id, in order", () => {
    const text = formatInstructions({
      ...EMPTY,
      downstreams: [
        { server: "web", toolbox: undefined, text: "Be polite." },
        { server: "fs", toolbox: "dev", text: "Use absolute paths.\n\n\tAlways." },
        { server: "db", toolbox: undefined, text: undefined },
      ],
    });
    expect(text.split("\n\n").slice(1).join("\n\n")).toBe(
      "## Server fs (toolbox dev)\n\nUse absolute paths.\n\n\tAlways.\n\n## Server web\n\nBe polite.",
    );
  });

  it("says so where a text is cut", () => {
    for (const text of ["x".repeat(4_001), "x".repeat(9_000), "😀".repeat(3_000)]) {
      const shown = say(text);
      expect(shown).toMatch(/\n\[Cut here: the text is too long\.\]$/);
      expect(shown.length).toBeLessThan(4_300);
      expect(/[\uD800-\uDFFF]/u.test(shown)).toBe(false);
    }
    expect(say("x".repeat(4_000))).not.toContain("Cut here");
  });

  it("names the downstreams it has no room for", () => {
    const downstreams = Array.from({ length: 40 }, (_, at) => ({
      server: `s${String(at).padStart(2, "0")}`,
      toolbox: undefined,
      text: "x".repeat(4_000),
    }));
    const text = formatInstructions({ ...EMPTY, downstreams });
    expect(text.length).toBeLessThan(26_000);
    expect(text).toMatch(/left out for length: Server s05, .* and 15 more\.$/);
  });

  it("bounds the list of toolboxes", () => {
    const toolboxes = Array.from({ length: 300 }, (_, at) => ({
      toolbox: `t${at}`,
      description: "d".repeat(1_000),
    }));
    expect(formatInstructions({ ...EMPTY, toolboxes })).toContain("- and 100 more");
  });

  it("removes what hides or reorders text, and keeps what emoji and scripts need (SAFE-1)", () => {
    const shown = say("a\u202Eb\u001B[31m\u200Bc\u0000\u{E0041}\uD800d\r\ne ⚠️ 👩‍💻 \u0645\u06CC\u200C\u062E");
    expect(shown.slice(shown.indexOf("## "))).toBe(
      "## Server fs\n\nab[31mcd\ne ⚠️ 👩‍💻 \u0645\u06CC\u200C\u062E",
    );
  });

  it("lets no text or id pass for another section", () => {
    const shown = say("ok\n## Server bank\n# Toolboxes\n  ## x\n### fine\n#tag", "fs\n## Server bank");
    const headings = shown.split("\n").filter((line) => /^ {0,3}#{1,2}\s/.test(line));
    expect(headings).toEqual(["## Server fs ## Server bank"]);
    expect(shown).toContain("\n#### Server bank\n### Toolboxes\n  #### x\n### fine\n#tag");
  });

  it("gives the same text whatever order its parts came in, and never a control character", () => {
    const text = fc.string({ unit: "binary", maxLength: 20 });
    const downstream = fc.record({
      server: text,
      toolbox: fc.option(text, { nil: undefined }),
      text: fc.option(text, { nil: undefined }),
    });
    const toolbox = fc.record({ toolbox: text, description: fc.option(text, { nil: undefined }) });
    fc.assert(
      fc.property(fc.array(downstream), fc.array(toolbox), (downstreams, toolboxes) => {
        const shown = formatInstructions({ ...EMPTY, downstreams, toolboxes });
        const turned = { downstreams: downstreams.toReversed(), toolboxes: toolboxes.toReversed() };
        expect(formatInstructions({ ...EMPTY, ...turned })).toBe(shown);
        expect(/(?![\n\t])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u.test(shown)).toBe(false);
      }),
    );
  });
});

it("comes after a second at the latest, with what is in force, though the next view is not ready", async () => {
  vi.useFakeTimers();
  try {
    const fs = createMemoryDownstream({ tools: toolsNamed("read"), instructions: "Use absolute paths." });
    const context = { ...buildTestContext([fs]), waitForServers: () => new Promise<boolean>(() => {}) };
    let text = "";
    void instructionsFor(buildCaller(), context).then((made) => {
      text = made;
    });
    await vi.advanceTimersByTimeAsync(999);
    expect(text).toBe("");
    await vi.advanceTimersByTimeAsync(1);
    expect(text).toContain("Use absolute paths.");
  } finally {
    vi.useRealTimers();
  }
});
