import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { partsOfKey, toolKeyOf } from "../../identity/tool-key.js";
import type { Lock, ProfileLock } from "../../naming/lock/lock.js";
import { createOldTools } from "./old-tools.js";

/** `toolbox/server/raw`, or `server/raw`. */
const keyOf = (path: string) => {
  const [raw = "", server = "", toolbox] = path.split("/").reverse();
  return toolKeyOf({ toolbox, server, raw });
};
const pathOf = (key: ReturnType<typeof keyOf>): string => {
  const { toolbox, server, raw } = partsOfKey(key);
  return [...(toolbox === undefined ? [] : [toolbox]), server, raw].join("/");
};

/** Tools on record by their canonical names, and public names by profile. */
function lockOf(
  tools: Readonly<Record<string, string>>,
  profiles: Readonly<Record<string, Readonly<Record<string, string>>>> = {},
): Lock {
  const profile = (names: Readonly<Record<string, string>>): ProfileLock => ({
    style: "flat",
    names: new Map(Object.entries(names).map(([name, path]) => [name, { key: keyOf(path) }])),
  });
  return {
    profiles: new Map(Object.entries(profiles).map(([id, names]) => [id, profile(names)])),
    tools: new Map(
      Object.entries(tools).map(([path, canonical]) => [keyOf(path), { canonical, digest: "" }]),
    ),
  };
}

const fs = (toolbox?: string, ...tools: readonly string[]): ToolSource =>
  toolbox === undefined ? { server: "fs", tools } : { toolbox, server: "fs", tools };

/** What a text may mean of what is not there. */
function found(
  text: string,
  sources: readonly ToolSource[],
  lock: Lock,
  successor?: Tool,
): readonly string[] {
  return createOldTools({ catalog: buildCatalog(sources), lock })
    .find(text, successor)
    .map(pathOf);
}

describe("tools that are not there any more (LOCK-5)", () => {
  const lock = lockOf(
    { "fs/old": "fs@1/old@1", "fs/live": "fs@1/live@1" },
    { openai: { fs_old: "fs/old", fs_live: "fs/live" } },
  );

  it.each([
    ["fs@1/old@1", ["fs/old"]],
    ["fs/old", ["fs/old"]],
    ["fs@v1/old@v1", ["fs/old"]],
    ["fs_old", ["fs/old"]],
    ["fs@1/live@1", []],
    ["fs_live", []],
    ["fs_other", []],
    ["no canonical name", []],
    ["fs@latest/old@1", []],
    ["fs@1/old@latest", []],
    ["fs@0/old", []],
  ])("%s means %j", (text, expected) => {
    expect(found(text, [fs(undefined, "live")], lock)).toEqual(expected);
  });

  it("are told once, whatever names lead to them, and all that have the name", () => {
    const many = lockOf(
      { "fs/a": "fs@1/a@1", "web/a": "web@1/a@1" },
      { openai: { x: "fs/a" }, cursor: { x: "fs/a" }, mcp: { x: "web/a", "fs@1/a@1": "fs/a" } },
    );
    expect(found("x", [], many)).toEqual(["fs/a", "web/a"]);
    expect(found("fs@1/a@1", [], many)).toEqual(["fs/a"]);
    const same = lockOf({ "fs/a": "fs@1/a@1", "web/b": "fs@1/a@1" });
    expect(found("fs@1/a@1", [], same)).toEqual(["fs/a", "web/b"]);
  });

  it("are meant without their toolbox, unless a server outside has that integration, or had it (CANON-7)", () => {
    const boxed = lockOf({ "dev/fs/old": "dev:fs@1/old@1", "ops/fs/old": "ops:fs@1/old@1" });
    expect(found("dev:fs@1/old@1", [], boxed)).toEqual(["dev/fs/old"]);
    expect(found("fs@1/old@1", [], boxed)).toEqual(["dev/fs/old", "ops/fs/old"]);
    expect(found("fs/old", [], boxed)).toEqual(["dev/fs/old", "ops/fs/old"]);
    expect(found("fs@1/old@1", [fs()], boxed)).toEqual(["fs/old"]);
    const outside = lockOf({ "dev/fs/old": "dev:fs@1/old@1", "fs/other": "fs@1/other@1" });
    expect(found("fs@1/old@1", [], outside)).toEqual([]);
    expect(found("dev:fs@1/old@1", [], outside)).toEqual(["dev/fs/old"]);
  });

  it("are those of the successor's server, else of its toolbox, where several are meant", () => {
    const tool = (source: ToolSource): Tool => buildCatalog([source]).tools[0] as Tool;
    const several = lockOf(
      { "dev/fs/old": "dev:fs@1/old@1", "dev/web/old": "dev:web@1/old@1", "ops/fs/old": "ops:fs@1/old@1" },
      { a: { old: "dev/fs/old" }, b: { old: "dev/web/old" }, c: { old: "ops/fs/old" } },
    );
    expect(found("old", [], several, tool(fs("dev", "new")))).toEqual(["dev/fs/old"]);
    expect(found("old", [], several, tool(fs("ops", "new")))).toEqual(["ops/fs/old"]);
    expect(found("old", [], several, tool({ toolbox: "dev", server: "disk", tools: ["new"] }))).toEqual([
      "dev/fs/old",
      "dev/web/old",
    ]);
    expect(found("old", [], several, tool(fs(undefined, "new")))).toHaveLength(3);
    expect(found("dev:web@1/old@1", [], several, tool(fs("ops", "new")))).toEqual(["dev/web/old"]);
  });

  describe("and are not on record", () => {
    const nothing = lockOf({});

    it.each<[string, readonly ToolSource[], readonly string[]]>([
      ["fs@1/old@1", [fs()], ["fs/old"]],
      ["fs/old", [fs()], ["fs/old"]],
      ["fs@2/old@1", [fs()], []],
      ["disk@1/old@1", [fs()], []],
      ["disk@3/old@1", [{ server: "fs", integration: "disk", version: 3, tools: [] }], ["fs/old"]],
      ["fs@1/old@1", [fs(undefined, "old")], []],
      ["dev:fs@1/old@1", [fs("dev"), fs("ops")], ["dev/fs/old"]],
      ["dev:fs@1/old@1", [fs()], []],
      ["fs@1/old@1", [fs("dev"), fs("ops")], ["dev/fs/old", "ops/fs/old"]],
      ["fs@1/old@1", [fs("dev"), fs()], ["fs/old"]],
      ["old", [fs()], []],
      ["fs@latest/old", [fs()], []],
    ])("%s among %j would be %j", (text, sources, expected) => {
      expect(found(text, sources, nothing)).toEqual(expected);
    });

    it("are raw names where the successor's server speaks canonical names (CANON-6)", () => {
      const speaker: ToolSource = {
        server: "hub",
        names: "canonical",
        speaksFor: ["*"],
        tools: ["fs@1/new@1"],
      };
      const [successor] = buildCatalog([speaker]).tools;
      expect(found("fs/old", [speaker], nothing, successor)).toEqual(["hub/fs@1/old@1"]);
      const [plain] = buildCatalog([fs(undefined, "new")]).tools;
      expect(found("fs/old", [fs(undefined, "new")], nothing, plain)).toEqual(["fs/old"]);
    });
  });

  it("have the canonical name that a text is, however its versions are written", () => {
    const { canonicalOf } = createOldTools({ catalog: buildCatalog([]), lock: lockOf({}) });
    expect(["fs/old", "dev:fs@v2/old", "fs@1/a.b@3"].map(canonicalOf)).toEqual([
      "fs@1/old@1",
      "dev:fs@2/old@1",
      "fs@1/a.b@3",
    ]);
    expect(["old", "fs@latest/old", "fs@1/old@latest"].map(canonicalOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
