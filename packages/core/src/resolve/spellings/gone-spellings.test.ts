import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import { type ToolKey, toolKeyOf } from "../../identity/tool-key.js";
import { runSteps } from "../../names/steps.js";
import { buildNamingTable } from "../../naming/build-naming-table.js";
import { buildLineage } from "../../naming/lock/lineage.js";
import type { Lock } from "../../naming/lock/lock.js";
import { profileOf } from "../../profiles/find-profile.js";
import type { FormerName } from "../renames/former-names.js";
import { goneFormSteps, goneSpellingSteps } from "./gone-spellings.js";

const key = (raw: string, server = "salesforce", toolbox?: string): ToolKey =>
  toolKeyOf({ toolbox, server, raw });

/** What leads to tools on record that are not there. */
function gone(
  tools: readonly (readonly [ToolKey, string])[],
  more: {
    sources?: readonly ToolSource[];
    successions?: readonly [ToolKey, ToolKey][];
    absent?: readonly ToolKey[];
  } = {},
) {
  const { sources = [], successions = [], absent = [] } = more;
  const catalog = buildCatalog(sources);
  const lock: Lock = {
    profiles: new Map(),
    tools: new Map(tools.map(([each, canonical]) => [each, { canonical, digest: "" }])),
  };
  const lineage = buildLineage(new Map(successions), (each) => catalog.toolWithKey(each) !== undefined);
  return runSteps(goneSpellingSteps({ catalog, lock, lineage, isAbsent: (each) => absent.includes(each) }));
}

describe("what led to a tool that is gone (RES-1) (NAME-4)", () => {
  const old = [key("a.b"), "salesforce@1/a.b@1"] as const;

  it("is its canonical name, the forms of its server, and flat names with integration and alias", () => {
    const alone = gone([old]);
    const forms = [
      "salesforce@1/a.b@1",
      "salesforce.a.b",
      "salesforce/a.b",
      "mcp__salesforce__a.b",
      "salesforce_a_b",
    ];
    for (const text of forms)
      expect(alone.byText.get(text)).toEqual({
        tool: undefined,
        canonical: "salesforce@1/a.b@1",
        policy: "warn",
      });
    expect([alone.byText.has("sf_a_b"), alone.byText.has("a.b")]).toEqual([false, false]);
    expect([...alone.byFolded.keys()]).toEqual(["salesforce@1/a.b@1"]);
    const aliased = gone([old], { sources: [{ server: "salesforce", alias: "sf", tools: ["c"] }] });
    for (const text of [...forms, "sf_a_b"]) expect(aliased.byText.has(text)).toBe(true);
  });

  it("is nothing of a tool that is there, and what it became of one that was renamed", () => {
    const sources: readonly ToolSource[] = [{ server: "salesforce", tools: ["a.b", "new"] }];
    expect(gone([old], { sources }).byText.size).toBe(0);
    const renamed = gone([[key("old"), "salesforce@1/old@1"]], {
      sources,
      successions: [[key("old"), key("new")]],
      absent: [key("new"), key("old")],
    });
    expect(renamed.byText.get("salesforce@1/old@1")).toEqual({
      tool: expect.objectContaining({ raw: "new" }),
      canonical: "salesforce@1/new@1",
      policy: "warn",
    });
  });

  it("is said to be absent where its server, or that of what it became, does not answer", () => {
    expect(gone([old], { absent: [old[0]] }).byText.get(old[1])).toHaveProperty("isAbsent", true);
    const moved = gone([old], { successions: [[old[0], key("c")]], absent: [key("c")] });
    expect(moved.byText.get(old[1])).toHaveProperty("isAbsent", true);
  });

  it("is, in toolboxes, also the canonical name without it, of each that had it, and no flat name", () => {
    const boxed = (toolbox: string) => [key("Read", "fs", toolbox), `${toolbox}:fs@1/Read@1`] as const;
    const { byText, unboxed } = gone([boxed("dev"), boxed("ops")]);
    for (const text of ["fs@1/Read@1", "fs@1/read@1"])
      expect(unboxed.get(text)?.map(({ canonical }) => canonical)).toEqual([
        "dev:fs@1/Read@1",
        "ops:fs@1/Read@1",
      ]);
    expect([byText.has("dev__fs__Read"), byText.has("fs_Read")]).toEqual([true, false]);
  });

  it("is exact before it is flat, and no flat name where the record holds no canonical name", () => {
    const exact = [key("x", "a_b"), "a-b@1/x@1"] as const;
    const flat = [key("b.x", "a"), "a@1/b.x@1"] as const;
    // Both are `mcp_…` forms and flat names of their own; the form of the one is not the flat name of the other.
    expect(gone([exact, flat]).byText.get("a_b_x")?.canonical).toBe("a@1/b.x@1");
    const form = [key("x", "mcp"), "mcp@1/a__x@1"] as const;
    const other = [key("x", "a"), "a@1/x@1"] as const;
    expect(gone([other, form]).byText.get("mcp_a__x")?.canonical).toBe("a@1/x@1");
    const broken = gone([[key("x"), "no canonical name"]]);
    expect([...broken.byText.keys()]).toEqual([
      "no canonical name",
      "salesforce.x",
      "salesforce/x",
      "mcp__salesforce__x",
      "mcp_salesforce__x",
      "mcp_salesforce_x",
    ]);
  });

  it("is what a client makes of a name that the table had, unless a tool has it again", () => {
    const table = buildNamingTable(buildCatalog([{ server: "s", tools: ["x"] }]), profileOf("claude-code"));
    const entry: FormerName = { tool: undefined, canonical: "s@1/gone@1", policy: "warn" };
    const former = new Map([
      ["s_gone", entry],
      ["s_x", entry],
    ]);
    const forms = runSteps(goneFormSteps(table, former));
    expect([...forms.keys()]).toEqual(["mcp__onym__s_gone", "mcp_onym_s_gone"]);
    expect(forms.get("mcp_onym_s_gone")).toBe(entry);
  });
});
