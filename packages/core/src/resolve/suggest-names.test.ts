import { describe, expect, it } from "vitest";
import { createNearest, createSuggest } from "./suggest-names.js";

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

const suggestFrom = (names: readonly string[]) => createSuggest({ tools: names.map((name) => ({ name })) });

describe("names near a text (RES-3)", () => {
  it.each([
    ["sf_get_laeds", "sf_get_leads"],
    ["sf_get_lead", "sf_get_leads"],
    ["get_leads_sf", "sf_get_leads"],
    ["SF_GET_LEADS", "sf_get_leads"],
    ["sfGetLeads", "sf_get_leads"],
    ["sf.get/leads", "sf_get_leads"],
    ["delete_contact", "sf_delete_contact"],
    ["contcat", "sf_delete_contact"],
    ["sf_dleete_contract", "sf_delete_contact"],
  ])("%s is nearest to %s", (text, name) => {
    expect(suggestFrom(["sf_create_lead", "sf_get_leads", "sf_delete_contact", "docs_search"])(text)[0]).toBe(
      name,
    );
  });

  it("are none where no word is near, for no text and for one of more than 256 characters", () => {
    const suggest = suggestFrom(["sf_get_leads", "docs"]);
    expect(suggest("zzz")).toEqual([]);
    expect(suggest("")).toEqual([]);
    expect(suggest("___")).toEqual([]);
    expect(suggest("dox")).toEqual([]);
    expect(suggest(`docs_${"x".repeat(251)}`)).toEqual(["docs"]);
    expect(suggest(`docs_${"x".repeat(252)}`)).toEqual([]);
  });

  it("are looked for one slip away in short words, two in longer ones, with the same first letter", () => {
    const suggest = suggestFrom(["leads", "contact"]);
    expect(suggest("laeds")).toEqual(["leads"]);
    expect(suggest("leds")).toEqual(["leads"]);
    expect(suggest("leeads")).toEqual(["leads"]);
    expect(suggest("lxxds")).toEqual([]);
    expect(suggest("meads")).toEqual([]);
    expect(suggest("contxxt")).toEqual(["contact"]);
    expect(suggest("cntct")).toEqual([]);
    expect(suggest("conttc")).toEqual(["contact"]);
    expect(suggest("contactxx")).toEqual(["contact"]);
    expect(suggest("conxxxt")).toEqual([]);
  });

  it("are five at most, the best first, and those that are as good in order of their text", () => {
    const suggest = suggestFrom(["x_f", "x_e", "x_d", "x_c", "x_b", "x_a", "y_a"]);
    expect(suggest("x_q")).toEqual(["x_a", "x_b", "x_c", "x_d", "x_e"]);
    expect(suggest("x_f")[0]).toBe("x_f");
  });

  it("count a word that few names have for more than one that all have", () => {
    const suggest = suggestFrom(["crm_list", "crm_read", "crm_write", "docs_purge", "crm_drop"]);
    expect(suggest("crm_purge")[0]).toBe("docs_purge");
  });

  it("have at most three slips where one name is asked for", () => {
    const nearest = createNearest(() => ["mail@1/send@1", "mail@1/list@1"]);
    expect(nearest("mail@1/sned@1")).toBe("mail@1/send@1");
    expect(nearest("mail@1/sendxyz@1")).toBe("mail@1/send@1");
    expect(nearest("mail@1/sendwxyz@1")).toBeUndefined();
    expect(nearest("chat@9/zzz@9")).toBeUndefined();
  });
});

describe("what one question may cost (SAFE-4)", () => {
  const numbered = (count: number, make: (at: number) => string): readonly string[] =>
    [...Array(count).keys()].map(make);
  const pad = (at: number, length: number): string => String(at).padStart(length, "0");

  it("sixteen words of a question, and of a name", () => {
    const words = (count: number): string => numbered(count, (at) => `q${at}`).join("_");
    expect(suggestFrom(["zebra"])(`${words(15)}_zebra`)).toEqual(["zebra"]);
    expect(suggestFrom(["zebra"])(`${words(16)}_zebra`)).toEqual([]);
    expect(suggestFrom([`${words(15)}_zebra`])("zebra")).toHaveLength(1);
    expect(suggestFrom([`${words(16)}_zebra`])("zebra")).toEqual([]);
  });

  it("five hundred words that a misspelt one may be", () => {
    const others = (count: number) => numbered(count, (at) => `w${pad(at, 6)}`);
    expect(suggestFrom([...others(499), "wtarget"])("wtargte")).toEqual(["wtarget"]);
    expect(suggestFrom([...others(500), "wtarget"])("wtargte")).toEqual([]);
  });

  it("sixteen words that are near a misspelt one", () => {
    const near = (count: number) =>
      numbered(count, (at) => `wtarg${"abcdefghijklmnopqrstuvwx"[at]}q_and_more_of_other_words`);
    expect(suggestFrom([...near(15), "wtargzq"])("wtargzz")[0]).toBe("wtargzq");
    expect(suggestFrom([...near(16), "wtargzq"])("wtargzz")).not.toContain("wtargzq");
  });

  it("sixteen thousand characters of words that are compared", () => {
    const others = (count: number) => numbered(count, (at) => `w${pad(at, 31)}`);
    const question = (word: string): string => `w${"x".repeat(31)}_${word}`;
    const long = `t${"a".repeat(31)}`;
    expect(suggestFrom([...others(499), "target"])(question("targte"))).toEqual(["target"]);
    expect(suggestFrom([...others(500), "target"])(question("targte"))).toEqual([]);
    // Of 499 words of 32 characters, one more is left.
    expect(suggestFrom([...others(499), long])(question(`${long.slice(0, -1)}b`))).toEqual([long]);
  });

  it("four hundred names with one word, and two thousand in all", () => {
    const sharing = (word: string, count: number) =>
      numbered(count, (at) => `${word}_${pad(at, 3)}_of_many_others`);
    expect(suggestFrom([...sharing("crm", 399), "crm"])("crm")[0]).toBe("crm");
    expect(suggestFrom([...sharing("crm", 400), "crm"])("crm")).not.toContain("crm");
    const shared = (words: string) => [...words].flatMap((letter) => sharing(letter.repeat(4), 400));
    const last = ["zz", ...sharing("zz", 400)];
    // Misspelt words count for less than the one that is not, but fewer names have them, so they come first.
    const names = (letters: string): readonly string[] =>
      suggestFrom([...shared(letters), ...last])(
        `${[...letters].map((each) => `${each.repeat(3)}q`).join("_")}_zz`,
      );
    expect(names("abcd")[0]).toBe("zz");
    expect(names("abcde")).not.toContain("zz");
  });

  it("forty names that are compared letter by letter, the best of all in whatever order", () => {
    const sharing = (count: number) => numbered(count, (at) => `w_a${pad(at, 2)}_of_many_others`);
    for (const turn of [(list: readonly string[]) => list, (list: readonly string[]) => list.toReversed()]) {
      expect(suggestFrom(turn([...sharing(39), "w_zq"]))("w_qq")[0]).toBe("w_zq");
      expect(suggestFrom(turn([...sharing(40), "w_zq"]))("w_qq")).not.toContain("w_zq");
    }
  });

  it("sixty-four thousand characters of names that are compared, but for the first", () => {
    const question = `zebra_${"x".repeat(250)}`;
    const names = (length: number) => ["a", "b", "c"].map((letter) => `zebra_${letter.repeat(length - 6)}`);
    expect(suggestFrom(names(125))(question)).toHaveLength(2);
    expect(suggestFrom(names(126))(question)).toHaveLength(1);
    expect(suggestFrom(names(300))(question)).toHaveLength(1);
  });

  it("and a word one slip away counts for more than one two slips away", () => {
    expect(suggestFrom(["contbbt", "contact"])("contaat")).toEqual(["contact", "contbbt"]);
    expect(suggestFrom(["contact_b", "contabb_a"])("contabt_a_b")[0]).toBe("contabb_a");
  });
});
