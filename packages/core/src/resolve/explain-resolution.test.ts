import { describe, expect, it } from "vitest";
import { buildSnapshot } from "../snapshot/build-snapshot.js";

const SOURCES = [
  { server: "mail", tools: ["send", "list"] },
  { server: "chat", tools: ["send"] },
];
const snapshot = buildSnapshot(SOURCES, {
  renames: [
    { from: "old_list", to: "mail@1/list@1" },
    { from: "older_list", to: "mail@1/list@1", policy: "reject" },
  ],
});
const explain = (text: string) => snapshot.explain(text, { profile: "openai" });

describe("a resolution in words (RES-5)", () => {
  it("says what was found, by which step, and why the tool is called so", () => {
    expect(explain("mail_send")).toEqual([
      '"mail_send" is "mail@1/send@1" (its public name)',
      "  looked in public names: matched",
      '  its name in the profile openai is "mail_send": the name its style gives it',
    ]);
    expect(explain("Mail%401~SEND")).toEqual([
      '"Mail%401~SEND" is "mail@1/send@1" (its canonical name in another case)',
      "  looked in public names: no match",
      "  looked in canonical names: no match",
      "  looked in declared aliases and former names: no match",
      "  looked in other spellings: no match",
      '  looked in all of these again, decoded for "Mail@1/SEND": no match',
      '  looked in canonical names, with versions filled in for "Mail@1/SEND@1": no match',
      '  looked in canonical names, whatever the case for "mail@1/send@1": matched',
      '  its name in the profile openai is "mail_send": the name its style gives it',
    ]);
  });

  it("says of a former name that it is deprecated, or what to call instead", () => {
    expect(explain("old_list").at(-1)).toBe(
      "  note: This name is deprecated; call mail@1/list@1 by its present name.",
    );
    expect(explain("older_list")[0]).toBe('"older_list" is retired; call "mail@1/list@1" instead');
    expect(explain("older_list").at(-1)).toBe("  looked in declared aliases and former names: retired");
  });

  it("says of a name whose tool is gone what it was, and of one whose server is away that it is", () => {
    const lock = snapshot.nextLock(["openai"]);
    const gone = buildSnapshot(SOURCES.slice(1), { lock });
    expect(gone.explain("mail_send", { profile: "openai" })[0]).toBe(
      '"mail_send" was a name of "mail@1/send@1", which is gone',
    );
    const away = buildSnapshot(SOURCES.slice(1), { lock, absent: [{ server: "mail" }] });
    expect(away.explain("mail_send", { profile: "openai" })[0]).toBe(
      '"mail_send" is unknown; The name belongs to "mail@1/send@1", whose server was not asked or does not answer. Try again when the server is there; nobody else is given its name.',
    );
    expect(away.resolve("mail_send", { profile: "openai" })).toMatchObject({
      suggestions: [],
      problem: { severity: "error" },
    });
  });

  it("names all that a text could be, and what is near an unknown one", () => {
    expect(explain("send")[0]).toBe('"send" could be any of "chat@1/send@1", "mail@1/send@1"');
    expect(explain("send").at(-1)).toBe("  looked in raw names: ambiguous");
    expect(explain("mail_lst")[0]).toMatch(/^"mail_lst" is unknown; near it are "mail_list"/);
    expect(explain("zzzz")[0]).toBe('"zzzz" is unknown');
    expect(snapshot.explain({ toolbox: "dev", server: "mail", name: "x" })[0]).toMatch(
      /^"dev \/ mail \/ x" is unknown/,
    );
  });

  it("says until when a former name works, where that is declared", () => {
    const until = buildSnapshot(SOURCES, {
      today: "2027-01-01",
      renames: [{ from: "old_list", to: "mail@1/list@1", until: "2027-06-30" }],
    });
    const found = until.resolve("old_list", { profile: "openai" });
    expect(found).toMatchObject({ outcome: "resolved", step: "alias", successor: "mail@1/list@1" });
    expect(found.warnings).toEqual([
      "This name is deprecated; call mail@1/list@1 by its present name. It is refused after 2027-06-30.",
    ]);
  });
});
