import { describe, expect, it } from "vitest";
import { createSuggest } from "./suggest-names.js";

const VERBS = ["get", "list", "create", "delete", "update", "find", "read", "write", "send", "move"];
const THINGS = ["lead", "file", "issue", "branch", "message", "account", "page", "user", "order", "report"];
const many = Array.from({ length: 3_000 }, (_, index) => ({
  name: `crm_${VERBS[index % 10]}_${THINGS[Math.floor(index / 10) % 10]}_${index}`,
}));
const suggest = createSuggest({ tools: [...many, { name: "crm_get_zebra" }] });

describe("suggestions among thousands of names (RES-3, SAFE-4)", () => {
  it.each([
    ["crm_get_zebra", "by a word of its own"],
    ["crm_gte_zebar", "by words with letters swapped"],
    [`${VERBS.join("_")}_lead_file_issue_crm_zebrra`, "among words that hundreds of names share"],
  ])("find the name that %j means, %s", (text) => {
    expect(suggest(text)[0]).toBe("crm_get_zebra");
  });

  it("are the nearest of those that share the same words, a word that only one has before all others", () => {
    expect(suggest("crm_get_lead_290")[0]).toBe("crm_get_report_290");
    expect(suggest("crm_list_lead")).toHaveLength(5);
    for (const name of suggest("crm_list_lead")) expect(name).toMatch(/^crm_list_lead_/);
  });

  it("are none for texts that are too long or share nothing", () => {
    expect(suggest("x".repeat(257))).toEqual([]);
    expect(suggest("qqqqq")).toEqual([]);
    expect(suggest(`zebra_${"x".repeat(250)}`)).toEqual(["crm_get_zebra"]);
  });
});
