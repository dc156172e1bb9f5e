import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import { integrationApart } from "../../catalog/integration-of.js";
import type { ToolSource } from "../../catalog/source.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import type { Lock, LockedTool } from "../../naming/lock/lock.js";
import type { Rename } from "./rename-window.js";
import { settleRenames } from "./settle-renames.js";

/** `toolbox/server/raw`, or `server/raw`. */
const keyOf = (path: string): ToolKey => {
  const [raw = "", server = "", toolbox] = path.split("/").reverse();
  return toolKeyOf({ toolbox, server, raw });
};

/** `PATH CANONICAL`, and behind `>` the path of what the tool became; public names by path. */
function lockOf(lines: readonly string[], names: Readonly<Record<string, string>> = {}): Lock {
  const tools = lines.map((line): [ToolKey, LockedTool] => {
    const [known = "", successor] = line.split(">");
    const [path = "", canonical = ""] = known.split(" ");
    const tool: LockedTool = { canonical, digest: "" };
    return [keyOf(path), successor === undefined ? tool : { ...tool, successor: keyOf(successor) }];
  });
  const given = new Map(Object.entries(names).map(([name, path]) => [name, { key: keyOf(path) }]));
  return {
    profiles: new Map([
      ["a", { style: "flat", names: new Map() }],
      ["b", { style: "flat", names: given }],
    ]),
    tools: new Map(tools),
  };
}

const NOTHING = lockOf([]);

/** What an entry's `to` is understood as. */
function settled(rename: Rename, sources: readonly ToolSource[], lock: Lock): string {
  const input = { sources, catalog: buildCatalog(sources), lock };
  const [entry, ...others] = settleRenames([rename], input);
  expect([entry?.from, others]).toEqual([rename.from, []]);
  return entry?.to ?? "";
}

describe("the tool that an entry without a toolbox means, as it is on record (CANON-7)", () => {
  const to = "fs@1/new@1";
  const line = ["dev/fs/old dev:fs@1/old@1>dev/fs/new", "dev/fs/new dev:fs@1/new@1"];
  const both = [...line, "ops/fs/old ops:fs@1/old@1>ops/fs/new", "ops/fs/new ops:fs@1/new@1"];

  it.each<[string, Rename, Lock, string]>([
    ["is what the old tool became", { from: "dev:fs@1/old@1", to }, lockOf(line), "dev:fs@1/new@1"],
    ["is that of the old tool's own toolbox", { from: "ops:fs@1/old@1", to }, lockOf(both), "ops:fs@1/new@1"],
    ["is meant by an old name without a toolbox", { from: "fs@1/old@1", to }, lockOf(line), "dev:fs@1/new@1"],
    ["is nobody where two are meant", { from: "fs@1/old@1", to }, lockOf(both), to],
    ["is meant by a public name", { from: "old", to }, lockOf(line, { old: "dev/fs/old" }), "dev:fs@1/new@1"],
    [
      "is meant by a public name that went on",
      { from: "old", to },
      lockOf(line, { old: "dev/fs/new" }),
      "dev:fs@1/new@1",
    ],
    [
      "is not the first of a line by a public name",
      { from: "new", to: "fs@1/old@1" },
      lockOf(line, { new: "dev/fs/new" }),
      "fs@1/old@1",
    ],
    [
      "is not what a tool of the old name was before",
      { from: "dev:fs@1/new@1", to: "fs@1/old@1" },
      lockOf(line),
      "fs@1/old@1",
    ],
    [
      "is nobody by a public name of a tool that stayed",
      { from: "x", to },
      lockOf([...line, "web/x web@1/x@1"], { x: "web/x" }),
      to,
    ],
    [
      "is nobody by a canonical name of a tool that stayed",
      { from: "web@1/x@1", to },
      lockOf([...line, "web/x web@1/x@1"]),
      to,
    ],
    ["is nobody by a name that nobody had", { from: "nothing", to }, lockOf(line), to],
    [
      "is itself where it has no toolbox",
      { from: "fs@1/old@1", to },
      lockOf(["fs/old fs@1/old@1>fs/new", "fs/new fs@1/new@1"]),
      to,
    ],
    [
      "is found along a line",
      { from: "dev:fs@1/a@1", to },
      lockOf([
        "dev/fs/b dev:fs@1/b@1>dev/fs/new",
        "dev/fs/a dev:fs@1/a@1>dev/fs/b",
        "dev/fs/new dev:fs@1/new@1",
      ]),
      "dev:fs@1/new@1",
    ],
    [
      "is nobody where what it became has no line",
      { from: "dev:fs@1/old@1", to },
      lockOf([line[0] as string]),
      to,
    ],
    [
      "is nobody where nothing became anything",
      { from: "dev:fs@1/old@1", to },
      lockOf(["dev/fs/old dev:fs@1/old@1", "dev/fs/new dev:fs@1/new@1"]),
      to,
    ],
    // The tool's own name says who is meant, and public names are not asked then.
    [
      "is that of the tool whose own name it is",
      { from: "fs@1/old@1", to },
      lockOf([...line, "fs/old fs@1/old@1"], { "fs@1/old@1": "dev/fs/old" }),
      to,
    ],
  ])("%s", (_, rename, lock, expected) => {
    expect(settled(rename, [], lock)).toBe(expected);
  });

  it("leaves all entries alone where nothing is on record", () => {
    const renames: readonly Rename[] = [{ from: "old", to }];
    const input = { sources: [], catalog: buildCatalog([]), lock: NOTHING };
    expect(settleRenames(renames, input)).toBe(renames);
  });
});

describe("the tool that an entry names by an id that its server had before (LOCK-5)", () => {
  const moved: ToolSource = { server: "new", formerly: ["older", "My Files"], tools: ["x"] };
  const rename = (to: string): Rename => ({ from: "old", to });

  it.each<[string, readonly ToolSource[], string]>([
    ["my-files@1/x@1", [moved], "new@1/x@1"],
    ["older/x", [moved], "new@1/x@1"],
    ["older@1/x@3", [moved], "new@1/x@3"],
    [`${integrationApart("My Files")}@1/x@1`, [moved], "new@1/x@1"],
    ["other@1/x@1", [moved], "other@1/x@1"],
    ["older@2/x@1", [moved], "older@2/x@1"],
    ["older@2/x@1", [{ ...moved, version: 2 }], "new@2/x@1"],
    ["older@1/x@1", [{ ...moved, version: 2 }], "older@1/x@1"],
    ["older@latest/x@1", [moved], "older@latest/x@1"],
    ["older@1/x@latest", [moved], "older@1/x@latest"],
    ["no canonical name", [moved], "no canonical name"],
    ["older@1/x@1", [{ ...moved, integration: "disk" }], "disk@1/x@1"],
    // A server has that name now.
    ["older@1/x@1", [moved, { server: "older", tools: [] }], "older@1/x@1"],
    ["older@1/x@1", [moved, { server: "o", integration: "older", tools: [] }], "older@1/x@1"],
    ["older@1/x@1", [moved, { server: "o", integration: "older", version: 2, tools: [] }], "new@1/x@1"],
    ["older@1/x@1", [moved, { toolbox: "dev", server: "older", tools: [] }], "older@1/x@1"],
    // In its toolbox alone.
    ["dev:older@1/x@1", [{ ...moved, toolbox: "dev" }], "dev:new@1/x@1"],
    ["dev:older@1/x@1", [moved], "dev:older@1/x@1"],
    ["older@1/x@1", [{ ...moved, toolbox: "dev" }], "older@1/x@1"],
    [
      "dev:older@1/x@1",
      [
        { ...moved, integration: "outside" },
        { ...moved, toolbox: "dev" },
      ],
      "dev:new@1/x@1",
    ],
    [
      "dev:older@1/x@1",
      [
        { ...moved, toolbox: "dev" },
        { toolbox: "ops", server: "older", tools: [] },
      ],
      "dev:new@1/x@1",
    ],
    [
      "dev:older@1/x@1",
      [
        { ...moved, toolbox: "dev" },
        { toolbox: "dev", server: "older", tools: [] },
      ],
      "dev:older@1/x@1",
    ],
    // Two say to have been it.
    ["older@1/x@1", [moved, { server: "newer", formerly: ["older"], tools: [] }], "older@1/x@1"],
    [
      "older@1/x@1",
      [moved, { server: "newer", tools: [] }, { server: "last", formerly: ["first"], tools: [] }],
      "new@1/x@1",
    ],
  ])("%s among %j is %s", (to, sources, expected) => {
    expect(settled(rename(to), sources, NOTHING)).toBe(expected);
  });

  it.each<[string, string, readonly string[], string]>([
    ["its own former id", "older@1/x@1", ["older/y older@1/y@1"], "new@1/x@1"],
    ["its present id", "older@1/x@1", ["new/y older@1/y@1"], "new@1/x@1"],
    ["another server", "older@1/x@1", ["Older/y older@1/y@1"], "older@1/x@1"],
    [
      "another server beside its own id",
      "older@1/x@1",
      ["older/y older@1/y@1", "Older/y older@1/y@1"],
      "older@1/x@1",
    ],
    ["another server that became its own", "older@1/x@1", ["Older/y older@1/y@1>older/y"], "new@1/x@1"],
    [
      "another server that renamed a tool of its own",
      "older@1/x@1",
      ["Older/y older@1/y@1>Older/z"],
      "older@1/x@1",
    ],
    ["another server with another version", "older@1/x@1", ["Older/y older@2/y@1"], "new@1/x@1"],
    ["another server in a toolbox", "older@1/x@1", ["dev/Older/y dev:older@1/y@1"], "new@1/x@1"],
  ])("had been the name of %s", (_, to, lines, expected) => {
    expect(settled(rename(to), [moved], lockOf(lines))).toBe(expected);
  });

  it("is looked for by its own toolbox on record", () => {
    const boxed: ToolSource = { ...moved, toolbox: "dev" };
    expect(settled(rename("dev:older@1/x@1"), [boxed], lockOf(["dev/Older/y dev:older@1/y@1"]))).toBe(
      "dev:older@1/x@1",
    );
    expect(settled(rename("dev:older@1/x@1"), [boxed], lockOf(["Older/y older@1/y@1"]))).toBe(
      "dev:new@1/x@1",
    );
  });
});
