import { checkName, defineProfile, findProfile, listProfiles, type Profile } from "@onym/core";
import { matchesProfile } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";
import type { ToolboxMode } from "../settings.js";
import { META_TOOLS, metaToolNamed, metaToolNames } from "./meta-tool-names.js";
import { buildMetaTools, metaToolsFor } from "./meta-tools.js";

function profile(id: string): Profile {
  const found = findProfile(id);
  if (found === undefined) throw new Error(`no profile ${id}`);
  return found;
}

describe("names of the meta tools (GW-11)", () => {
  it.each([
    ["claude-code", "find_tools"],
    ["universal", "find_tools"],
    ["vscode", "find_tools"],
    ["librechat", "find_tools"],
    ["cherry-studio", "findTools"],
    ["cursor", "onym_find_tools"],
    ["windsurf", "onym_find_tools"],
    ["openai", "onym_find_tools"],
    ["claude-desktop", "onym_find_tools"],
    ["canonical", "onym_find_tools"],
    ["mcp", "onym_find_tools"],
  ])("take the gateway's prefix in %s only where the client does not show it", (id, name) => {
    expect(metaToolNames(profile(id)).get("find_tools")).toBe(name);
  });

  const aliases = ["onym", "hub", "my-tools", "Größe 1", "a".repeat(80)];
  it.each(aliases)("are legal and distinct in every profile, registered as %j", (as) => {
    for (const each of listProfiles()) {
      const names = [...metaToolNames(each, { as }).values()];
      expect(new Set(names).size).toBe(META_TOOLS.length);
      // Some aliases leave no room for any name; then no tool has one either.
      if (!matchesProfile("use", each, as) && !matchesProfile("tool", each, as)) continue;
      for (const name of names) {
        const errors = checkName(name, each, { as }).filter(({ severity }) => severity === "error");
        expect(errors, `${each.id} ${name}`).toEqual([]);
        expect(matchesProfile(name, each, as), `${each.id} ${name}`).toBe(true);
      }
    }
  });

  it.each(aliases)(
    "are those of mcp-workbench for its files, wherever they fit, registered as %j (BOX-9)",
    (as) => {
      for (const each of listProfiles()) {
        if (!matchesProfile("use", each, as) && !matchesProfile("tool", each, as)) continue;
        const names = metaToolNames(each, { as, isWorkbench: true });
        for (const [base, name] of names)
          expect(matchesProfile(name, each, as), `${each.id} ${base}`).toBe(true);
      }
      if (as !== "onym") return;
      for (const id of ["claude-code", "openai", "universal", "cursor", "canonical"])
        expect(metaToolNames(profile(id), { isWorkbench: true }).get("open_toolbox")).toBe(
          "workbench_open_toolbox",
        );
      expect(metaToolNames(profile("cherry-studio"), { isWorkbench: true }).get("open_toolbox")).toBe(
        "workbenchOpenToolbox",
      );
    },
  );

  it("carry the alias under which the gateway is registered", () => {
    expect(metaToolNames(profile("openai"), { as: "hub" }).get("use_tool")).toBe("hub_use_tool");
    expect(metaToolNames(profile("openai"), { as: "my hub" }).get("use_tool")).toBe("onym_use_tool");
  });

  it("make way for a tool that has one of them, all together", () => {
    const names = metaToolNames(profile("claude-code"), { isTaken: (name) => name === "find_tools" });
    expect([...names.values()]).toEqual(META_TOOLS.map((base) => `onym_${base}`));
    const taken = new Set(["find_tools", "onym_find_tools", "onym_find_tools_2"]);
    const numbered = metaToolNames(profile("claude-code"), { isTaken: (name) => taken.has(name) });
    expect(numbered.get("find_tools")).toBe("find_tools_2");
  });

  it("are understood however they are written", () => {
    const names = metaToolNames(profile("cherry-studio"));
    for (const text of ["findTools", "find_tools", "onym_find_tools"])
      expect(metaToolNamed(text, names)).toBe("find_tools");
    expect(metaToolNamed("hub_find_tools", names, "hub")).toBe("find_tools");
    for (const text of ["find", "", "__proto__", "constructor"])
      expect(metaToolNamed(text, names)).toBeUndefined();
  });

  it("follow the rules of a profile of the user's own", () => {
    for (const maxLength of [14, 20]) {
      const own = defineProfile({ id: "own", pattern: `^[a-z_]{1,${maxLength}}$` });
      if (!own.ok) throw new Error(own.problem.message);
      const names = [...metaToolNames(own.value).values()];
      for (const name of names) expect(matchesProfile(name, own.value, "onym"), name).toBe(true);
      expect(names[0]).toBe(maxLength === 14 ? "list_toolboxes" : "onym_list_toolboxes");
    }
  });
});

describe("which meta tools exist (GW-10)", () => {
  it.each<[ToolboxMode, readonly string[], readonly string[]]>([
    ["static", ["dev"], ["list_toolboxes", "find_tools"]],
    ["dynamic", ["dev"], ["list_toolboxes", "open_toolbox", "close_toolbox", "find_tools"]],
    ["proxy", ["dev"], [...META_TOOLS]],
    ["static", [], []],
    ["dynamic", [], []],
    ["proxy", [], ["find_tools", "use_tool"]],
  ])("in mode %s with toolboxes %j", (mode, toolboxes, tools) => {
    expect(metaToolsFor({ mode, toolboxes })).toEqual(tools);
  });
});

describe("definitions of the meta tools", () => {
  const names = metaToolNames(profile("openai"));

  it.each<ToolboxMode>(["static", "dynamic", "proxy"])(
    "speak of each other by the caller's names in mode %s",
    (mode) => {
      const tools = buildMetaTools({ mode, toolboxes: ["prod", "dev"], names });
      for (const tool of tools) {
        expect(Object.keys(tool)).toEqual(["name", "title", "description", "inputSchema", "annotations"]);
        expect(JSON.stringify(tool)).not.toMatch(/(?<!onym_)(find_tools|use_tool|open_toolbox)/);
      }
      expect(JSON.stringify(buildMetaTools({ mode, toolboxes: ["dev", "prod"], names }))).toBe(
        JSON.stringify(tools),
      );
    },
  );

  it("offer the toolboxes to choose from", () => {
    const tools = buildMetaTools({ mode: "dynamic", toolboxes: ["prod", "dev"], names });
    const open = tools.find(({ name }) => name === "onym_open_toolbox");
    expect(open).toMatchObject({
      inputSchema: { properties: { toolbox: { enum: ["dev", "prod"] } }, required: ["toolbox"] },
      annotations: { readOnlyHint: false, idempotentHint: true },
    });
  });

  it("say nothing of toolboxes where there are none", () => {
    expect(JSON.stringify(buildMetaTools({ mode: "proxy", toolboxes: [], names }))).not.toContain(
      '"toolbox"',
    );
  });
});
