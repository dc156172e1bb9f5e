import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { matchesTemplate, parseTemplate } from "./match-template.js";
import { buildResourceTable, formatResourceKey, type ResourceOffer } from "./uri-names.js";

const offer = (
  key: string,
  resources: readonly string[] = [],
  templates: readonly string[] = [],
): ResourceOffer<string> => ({ key, owner: key.toUpperCase(), resources, templates });

describe("formatResourceKey", () => {
  it.each([
    [{ server: "fs", toolbox: undefined }, "fs"],
    [{ server: "fs", toolbox: "dev" }, "dev__fs"],
    [{ server: "dev__fs", toolbox: undefined }, "dev_%5Ffs"],
    [{ server: "a/b c", toolbox: undefined }, "a%2Fb%20c"],
    [{ server: "搜", toolbox: undefined }, "%E6%90%9C"],
    [{ server: "\uD800", toolbox: undefined }, "%ED%A0%80"],
    [{ server: "", toolbox: undefined }, ""],
  ])("writes %j as %j", (id, key) => {
    expect(formatResourceKey(id)).toBe(key);
  });

  it("gives two downstreams two keys", () => {
    const text = fc.array(fc.constantFrom("_", "__", "a", "%", "5F", "/", "\uD800", "é"), { maxLength: 4 });
    const server = text.map((pieces) => pieces.join(""));
    const id = fc.oneof(
      fc.record({ server, toolbox: fc.constant(undefined) }),
      // In toolboxes, ids hold no `__` and no `_` at their ends (BOX-4).
      fc.record({ server: fc.constantFrom("a", "b", "a_b"), toolbox: fc.constantFrom("a", "b", "a_b") }),
    );
    fc.assert(
      fc.property(id, id, (a, b) => {
        const isSame = a.server === b.server && a.toolbox === b.toolbox;
        expect(formatResourceKey(a) === formatResourceKey(b)).toBe(isSame);
        expect(formatResourceKey(a)).not.toContain("/");
      }),
    );
  });
});

describe("matchesTemplate", () => {
  const matches = (template: string, uri: string): boolean => {
    const parts = parseTemplate(template);
    return parts !== undefined && matchesTemplate(uri, parts);
  };

  it.each([
    ["file:///{path}", "file:///a.txt"],
    ["file:///{path}", "file:///a%2Fb"],
    ["file:///{+path}", "file:///a/b/c.txt"],
    ["{+all}", "anything://at/all?x#y"],
    ["db://{db}/{table}", "db://main/users"],
    ["a://{x}{y}", "a://12"],
    ["a://{x}-{y}", "a://1-2-3"],
    ["a://{x,y}", "a://1,2"],
    ["a://{x}/end", "a://b/end"],
    ["a://x{.ext}", "a://x.json"],
    ["a://x{.ext}", "a://x"],
    ["a://x{/step}", "a://x/1"],
    ["a://x{/steps*}", "a://x/1/2/3"],
    ["a://x{/one,two}", "a://x/1/2"],
    ["a://x{;p}", "a://x;p=1"],
    ["a://x{?q,r}", "a://x?q=1&r=a/b"],
    ["a://x{?q}", "a://x"],
    ["a://x?a=1{&q}", "a://x?a=1&q=2"],
    ["a://x{#part}", "a://x#a/b"],
    ["a://x{?q}{#part}", "a://x?q=1#p"],
    ["no-braces", "no-braces"],
    ["a://{x}a", "a://aaa"],
  ])("%s could give %s", (template, uri) => {
    expect(matches(template, uri)).toBe(true);
  });

  it.each([
    ["file:///{path}", "file:///a/b"],
    ["file:///{path}", "file:///"],
    ["file:///{path}", "file:///a?b"],
    ["file:///{+path}", "files:///a"],
    ["db://{db}/{table}", "db://main"],
    ["a://x{/step}", "a://x/1/2"],
    ["a://x{?q}", "a://x#q"],
    ["a://x{.ext}", "a://xjson"],
    ["a://{x}/end", "a://b/ending"],
    ["a://{x", "a://b"],
    ["a://{}", "a://b"],
    ["a://{{x}}", "a://b"],
    ["a://x}", "a://x}"],
    ["", "a"],
    [`a://${"{x}".repeat(33)}`, `a://${"b".repeat(40)}`],
  ])("%s could not give %s", (template, uri) => {
    expect(matches(template, uri)).toBe(false);
  });

  it.each([
    ["one below", 2_047, true],
    ["at", 2_048, true],
    ["one above", 2_049, false],
  ])("is read up to a length: %s (limits: MAX_TEMPLATE_LENGTH of match-template)", (_, length, isRead) => {
    const text = "a".repeat(length);
    expect(matches(text, text)).toBe(isRead);
  });

  it.each([
    ["one below", 8_191, true],
    ["at", 8_192, true],
    ["one above", 8_193, false],
  ])(
    "is compared with addresses up to a length: %s (limits: MAX_URI_LENGTH of match-template)",
    (_, length, isCompared) => {
      expect(matches("{+a}", "a".repeat(length))).toBe(isCompared);
    },
  );

  it("comes to an end where a pattern would not", () => {
    const hostile = `${"{+a}a".repeat(32)}b`;
    expect(matches(hostile, "a".repeat(8_192))).toBe(false);
  });

  it("agrees with what a template expands to", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9.%-]{1,8}$/);
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(matches("x://{a}/{+b}{?c}", `x://${a}/${b}/${a}?c=${c}`)).toBe(true);
      }),
    );
  });
});

describe("resource addresses are kept apart (GW-5)", () => {
  const table = buildResourceTable([
    offer("a", ["file:///shared", "file:///only-a", "onym://b/trap", "ONYM://x"], ["a://{x}", "same://{x}"]),
    offer(
      "b",
      ["file:///shared", "file:///only-b"],
      ["b://{+x}", "same://{x}", "a://{y}/deep", "a://fixed{?q}"],
    ),
    offer("c"),
  ]);

  it.each([
    ["what one offers", "A", "file:///only-a", "file:///only-a"],
    ["what two offer", "A", "file:///shared", "onym://a/file:///shared"],
    ["what two offer, for the other", "B", "file:///shared", "onym://b/file:///shared"],
    ["what is in Onym's own scheme", "A", "onym://b/trap", "onym://a/onym://b/trap"],
    ["Onym's own scheme in capitals", "A", "ONYM://x", "onym://a/ONYM://x"],
    ["what another lists", "A", "file:///only-b", "onym://a/file:///only-b"],
    ["what is listed nowhere", "C", "x://y", "onym://c/x://y"],
    ["what only its template covers", "B", "b://x/y", "onym://b/b://x/y"],
    ["what belongs to a stranger", "?", "x://y", "x://y"],
  ])("shows %s", (_, owner, uri, shown) => {
    expect(table.publicUri(owner, uri)).toBe(shown);
  });

  it.each([
    ["A", "a://{x}", "a://{x}"],
    ["A", "same://{x}", "onym://a/same://{x}"],
    ["B", "same://{x}", "onym://b/same://{x}"],
    ["C", "new://{x}", "onym://c/new://{x}"],
  ])("shows %s the template %s as %s", (owner, template, shown) => {
    expect(table.publicTemplate(owner, template)).toBe(shown);
    expect(table.resolveTemplate(shown)).toEqual({ outcome: "resolved", owner, uri: template });
  });

  it.each([
    ["a listed address", "file:///only-a", "A", "file:///only-a"],
    ["a wrapped one", "onym://b/file:///shared", "B", "file:///shared"],
    ["a wrapped one in capitals", "ONYM://b/file:///shared", "B", "file:///shared"],
    ["a wrapped one that is listed nowhere", "onym://c/x://y", "C", "x://y"],
    ["a wrapped one in Onym's own scheme", "onym://a/onym://b/trap", "A", "onym://b/trap"],
    ["one that fits a template", "a://1", "A", "a://1"],
    ["one that fits another's", "b://1/2", "B", "b://1/2"],
    ["an expanded wrapped template", "onym://b/same://1", "B", "same://1"],
    ["nothing after the key", "onym://a/", "A", ""],
  ])("resolves %s", (_, text, owner, uri) => {
    expect(table.resolve(text)).toEqual({ outcome: "resolved", owner, uri });
  });

  it.each([
    ["a shared address", "file:///shared"],
    ["one that fits templates of two", "same://1"],
    ["one that fits different templates of two", "a://fixed"],
  ])("gives %s to nobody", (_, uri) => {
    const candidates = [`onym://a/${uri}`, `onym://b/${uri}`];
    expect(table.resolve(uri)).toEqual({ outcome: "ambiguous", candidates, isUncertain: false });
  });

  it.each(["x://y", "onym://nobody/x", "onym://a", "onym:", "", "__proto__"])(
    "knows nothing of %j",
    (uri) => {
      expect(table.resolve(uri)).toEqual({ outcome: "unknown" });
    },
  );

  it("gives anything to the only downstream that has resources, but its own scheme", () => {
    const single = buildResourceTable([offer("a", ["x://1"]), offer("b")]);
    expect(single.resolve("y://2")).toEqual({ outcome: "resolved", owner: "A", uri: "y://2" });
    expect(single.resolve("onym://z/2")).toEqual({ outcome: "unknown" });
  });

  it("gives what nobody lists to nobody while some server has listed nothing", () => {
    const single = buildResourceTable([offer("a", ["x://1"]), offer("b")], { hasUnlisted: true });
    expect(single.resolve("y://2")).toEqual({ outcome: "unknown" });
    expect(single.resolve("x://1")).toMatchObject({ outcome: "resolved" });
    // What leads back is shown wrapped.
    expect(single.publicUri("A", "y://2")).toBe("onym://a/y://2");
    expect(single.resolve("onym://a/y://2")).toMatchObject({ outcome: "resolved", uri: "y://2" });
  });

  it("gives every bare address to nobody while a server is down that may have had it before a restart", () => {
    const unsure = buildResourceTable([{ ...offer("a", ["x://1", "ui://page"]), templates: ["t://{x}"] }], {
      hasUnlisted: true,
      hasUnlistedDown: true,
    });
    for (const uri of ["x://1", "t://1"])
      expect(unsure.resolve(uri)).toEqual({
        outcome: "ambiguous",
        candidates: [`onym://a/${uri}`],
        isUncertain: true,
      });
    expect(unsure.resolveTemplate("t://{x}")).toMatchObject({ outcome: "ambiguous" });
    expect(unsure.resolve("y://2")).toEqual({ outcome: "unknown" });
    expect(unsure.publicUri("A", "x://1")).toBe("onym://a/x://1");
    expect(unsure.publicTemplate("A", "t://{x}")).toBe("onym://a/t://{x}");
    expect(unsure.resolve("onym://a/x://1")).toEqual({ outcome: "resolved", owner: "A", uri: "x://1" });
    // Hosts read pages under the address in the `_meta` of their tool.
    expect(unsure.resolve("ui://page")).toEqual({ outcome: "resolved", owner: "A", uri: "ui://page" });
    expect(unsure.publicUri("A", "ui://page")).toBe("ui://page");
  });

  it("keeps for a server that is down what it offered", () => {
    const absent = { ...offer("b", ["x://1", "x://2"]), isAbsent: true };
    const partly = buildResourceTable([offer("a", ["x://1"]), absent]);
    expect(partly.resolve("x://1")).toMatchObject({ outcome: "ambiguous" });
    expect(partly.publicUri("A", "x://1")).toBe("onym://a/x://1");
    expect(partly.resolve("x://2")).toEqual({ outcome: "absent", owner: "B", uri: "x://2" });
  });

  it("gives a key that two claim to nobody", () => {
    const twice = buildResourceTable([offer("a", ["x://1"]), { ...offer("a", ["y://1"]), owner: "other" }]);
    expect(twice.resolve("onym://a/x://1").outcome).toBe("ambiguous");
  });

  it("gives an address that would take too many steps to nobody, and says how to ask (SAFE-4)", () => {
    const hard = (scheme: string) =>
      Array.from({ length: 2_000 }, (_, i) => `${scheme}://${"{+a}/".repeat(30)}${i}`);
    const many = buildResourceTable([
      { ...offer("a"), templates: hard("x") },
      { ...offer("b"), templates: hard("x") },
      { ...offer("c"), templates: hard("y") },
    ]);
    const long = `x://${"a/".repeat(2_000)}`;
    expect(many.resolve(long)).toEqual({
      outcome: "ambiguous",
      candidates: [`onym://a/${long}`, `onym://b/${long}`],
      isUncertain: false,
    });
    expect(many.resolve(`y://${"a/".repeat(2_000)}`)).toMatchObject({ outcome: "resolved", owner: "C" });
  });

  it.each([
    ["one character below", 799, "unknown"],
    ["at", 800, "unknown"],
    ["one character above", 801, "resolved"],
  ])("compares an address with templates up to 100,000 steps: %s (SAFE-4)", (_, length, outcome) => {
    // Five parts each: 25 of them take 125 steps for each character.
    const templates = Array.from({ length: 25 }, (_, n) => `x://{a}/{b}/${n}`);
    const table = buildResourceTable([offer("a", [], templates), offer("b", ["y://1"])]);
    expect(table.resolve("x://".padEnd(length, "a")).outcome).toBe(outcome);
  });

  const uri = fc.constantFrom(
    "x://1",
    "x://2/3",
    "x://a",
    "onym://a/x://1",
    "onym://q/",
    "onym:",
    "",
    "__proto__",
    "y://1",
  );
  const template = fc.constantFrom(
    "x://{a}",
    "x://{+a}",
    "x://a{?q}",
    "{+u}",
    "onym://{a}/{+b}",
    "x://{",
    "y://{z}",
  );
  const offers = fc.uniqueArray(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "q", ""),
      resources: fc.array(uri),
      templates: fc.array(template),
    }),
    { selector: ({ key }) => key, maxLength: 4 },
  );

  it("leads every address it shows back to its owner, and no bare one to two", () => {
    fc.assert(
      fc.property(offers, fc.array(uri), (given, others) => {
        const owned = given.map((each) => ({ ...each, owner: each }));
        const built = buildResourceTable(owned);
        for (const { owner, resources, templates } of owned) {
          for (const each of [...resources, ...others]) {
            expect(built.resolve(built.publicUri(owner, each))).toEqual({
              outcome: "resolved",
              owner,
              uri: each,
            });
          }
          for (const each of templates) {
            const shown = built.publicTemplate(owner, each);
            expect(built.resolveTemplate(shown)).toEqual({ outcome: "resolved", owner, uri: each });
          }
        }
        for (const each of given.flatMap(({ resources }) => resources)) {
          const owners = given.filter(({ resources }) => resources.includes(each));
          if (owners.length > 1 && !each.startsWith("onym://"))
            expect(built.resolve(each).outcome).toBe("ambiguous");
        }
      }),
    );
  });

  it("answers the same whatever order the offers came in", () => {
    fc.assert(
      fc.property(offers, uri, (given, text) => {
        const owned = given.map((each) => ({ ...each, owner: each }));
        const forward = buildResourceTable(owned);
        const backward = buildResourceTable(owned.toReversed());
        expect(backward.resolve(text)).toEqual(forward.resolve(text));
        expect(backward.resolveTemplate(text)).toEqual(forward.resolveTemplate(text));
      }),
    );
  });
});

describe("pages of tools, for a caller from whom tools are hidden (GW-6)", () => {
  const named = (key: string, pages: readonly string[]) => ({ ...offer(key), pages });
  const seen = ["ui://a/seen"];
  const sees = (_: string, page: string) => seen.includes(page);
  const resolveAll = (offers: readonly ResourceOffer<string>[], uris: readonly string[]) => {
    const table = buildResourceTable(offers).seenBy(sees);
    return uris.map((uri) => [table.resolve(uri), table.resolveOrigin(uri), table.publicUri("A", uri)]);
  };

  it("are the same whether a hidden one exists or not, whoever else offers what", () => {
    const uris = ["ui://a/secret", "\tui://a/secret", "onym://a/ui://a/secret", "file:///x", "ui://a/seen"];
    for (const others of [[], [offer("b", ["x://1"])], [offer("b", ["ui://a/secret"])]])
      expect(resolveAll([named("a", [...seen, "ui://a/secret"]), ...others], uris)).toEqual(
        resolveAll([named("a", seen), ...others], uris),
      );
    const [only] = resolveAll([named("a", ["ui://a/secret"]), offer("b", ["x://1"])], ["y://1"]);
    expect(only?.[0]).toMatchObject({ outcome: "resolved", owner: "B" });
  });

  it("are nobody's unless a visible tool names them, their server lists them, or a template fits", () => {
    const pages = ["ui://a/seen", "ui://a/listed", "ui://a/secret"];
    const one = { ...offer("a", ["ui://a/listed"], ["ui://t/{x}"]), pages };
    const table = buildResourceTable([one]).seenBy(sees);
    const outcomes = [...pages, "ui://t/1", "ui://other", "UI://a/seen", "z://1"].map((uri) => [
      table.resolve(uri).outcome,
      table.resolve(`onym://a/${uri}`).outcome,
    ]);
    const [yes, no] = ["resolved", "unknown"].map((outcome) => [outcome, outcome]);
    expect(outcomes).toEqual([yes, yes, no, yes, no, no, yes]);
    expect(buildResourceTable([one]).resolve("ui://a/secret").outcome).toBe("resolved");
  });
});
