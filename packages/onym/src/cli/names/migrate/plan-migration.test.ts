import { buildSnapshot, type ToolSource } from "@onym/core";
import { describe, expect, it } from "vitest";
import { aliasBlock, nextMajor, usualWindow } from "./alias-block.js";
import { buildNaming, type NamingContext } from "./build-naming.js";
import { planMigration } from "./plan-migration.js";

function contextOf(sources: readonly ToolSource[], level: NamingContext["level"] = "gateway"): NamingContext {
  return { snapshot: buildSnapshot(sources), profile: "universal", level };
}

function plan(
  context: NamingContext,
  [from, to]: readonly [string, string],
  numbers: "accept" | "refuse" = "refuse",
) {
  return planMigration(context.snapshot.catalog.tools, {
    from: buildNaming(from, context),
    to: buildNaming(to, context),
    numbers,
  });
}

const rows = (migration: ReturnType<typeof plan>) => migration.tools.map(({ from, to }) => [from, to]);

describe("a migration (LOCK-4)", () => {
  it("takes dots to underscores everywhere, and leaves the rest alone", () => {
    const context = contextOf([{ server: "kenny", tools: ["powershell.exec", "fs.list", "ping"] }], "server");
    expect(rows(plan(context, ["raw", "underscores"]))).toEqual([
      ["fs.list", "fs_list"],
      ["ping", "ping"],
      ["powershell.exec", "powershell_exec"],
    ]);
  });

  it("takes the names of the draft to those of the specification", () => {
    const context = contextOf(
      [{ server: "a", tools: ["user-profile/update", "admin.tools.list"] }],
      "server",
    );
    expect(rows(plan(context, ["sep-986", "mcp"]))).toEqual([
      ["admin.tools.list", "admin.tools.list"],
      ["user-profile/update", "user-profile_update"],
    ]);
  });

  it("takes old toolbox names to those of three parts", () => {
    const context = contextOf([{ toolbox: "dev", server: "filesystem", tools: ["read_file"] }]);
    expect(rows(plan(context, ["old-toolbox", "toolbox"]))).toEqual([
      ["dev__filesystem_read_file", "dev__filesystem__read_file"],
    ]);
  });

  it("takes names of another gateway, all of them, and of a client", () => {
    const context = contextOf([{ server: "git hub", tools: ["search"] }]);
    expect(plan(context, ["litellm", "flat"]).tools).toMatchObject([
      { from: "git_hub-search", to: "git_hub_search", others: ["git_hub/search", "search"] },
    ]);
    expect(rows(plan(context, ["client:claude-code", "now"]))).toEqual([
      ["mcp__git_hub__search", "git_hub_search"],
    ]);
  });

  it("stops where two names would be equal, and shows both", () => {
    const context = contextOf([{ server: "a", tools: ["user.get", "user_get", "other"] }], "server");
    const { conflicts } = plan(context, ["raw", "underscores"]);
    expect(conflicts).toMatchObject([
      { kind: "same-name", name: "user_get", tools: [{ raw: "user.get" }, { raw: "user_get" }] },
    ]);
    expect(plan(context, ["raw", "openai"]).conflicts).toHaveLength(1);
    expect(plan(context, ["raw", "openai"], "accept")).toMatchObject({
      conflicts: [],
      tools: [{ to: "other" }, { to: "user_get_2" }, { to: "user_get" }],
    });
  });

  it("stops where a name would go from one tool to another, and shows both", () => {
    const raw = contextOf([
      { server: "x", tools: ["y_z"] },
      { server: "y", tools: ["z"] },
    ]);
    expect(plan(raw, ["raw", "flat"]).conflicts).toMatchObject([
      { kind: "taken-over", name: "y_z", tools: [{ server: "x" }, { server: "y" }] },
    ]);
  });

  it("gives no alias to a name that was two tools'", () => {
    const context = contextOf([
      { server: "a", tools: ["search"] },
      { server: "b", tools: ["search", "read"] },
    ]);
    const migration = plan(context, ["raw", "flat"]);
    expect(migration.ambiguous).toMatchObject([
      { name: "search", tools: [{ server: "a" }, { server: "b" }] },
    ]);
    expect(aliasBlock(migration, { window: { until: "2027-01-01" }, level: "gateway" })).toEqual([
      { from: "read", to: "b@1/read@1", until: "2027-01-01", policy: "warn" },
    ]);
  });

  it("renames the tool itself on the level of its server", () => {
    const context = contextOf([{ server: "a", tools: ["user.get", "ping"] }], "server");
    const block = aliasBlock(plan(context, ["raw", "underscores"]), {
      window: { since: "2.0.0" },
      level: "server",
    });
    expect(block).toEqual([{ from: "a@1/user.get@1", to: "a@1/user_get@1", since: "2.0.0", policy: "warn" }]);
  });

  it("has a window of half a year, or of the next major version", () => {
    expect(usualWindow("2026-11-17")).toEqual({ until: "2027-05-19" });
    expect(nextMajor("v2.3.1")).toEqual({ since: "3.0.0" });
    expect(nextMajor("unreleased")).toBeUndefined();
  });

  it("refuses a naming that is not known, with the nearest", () => {
    const context = contextOf([]);
    for (const id of ["metamc", "mcp:dottd", "client:nobody", "a:b:c"])
      expect(() => buildNaming(id, context)).toThrow(`There is no naming "${id}".`);
  });
});
