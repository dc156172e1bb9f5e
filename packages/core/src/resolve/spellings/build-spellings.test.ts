import { describe, expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import type { NamingStyle } from "../../naming/wish/style.js";
import type { Why } from "../../naming/wish/why.js";
import { type Spellings, spellingSteps } from "./build-spellings.js";
import { isSeveral } from "./claims.js";

const catalog = buildCatalog([
  { server: "docs", tools: ["find", "a.b", "a_b"] },
  { server: "salesforce", alias: "sf", tools: ["get"] },
]);
const toolNamed = (raw: string): Tool => catalog.tools.find((tool) => tool.raw === raw) as Tool;
const find = toolNamed("find");
const get = toolNamed("get");

const WISH: Why = { kind: "wish" };

type Named = readonly [name: string, tool: Tool, why?: Why];

/** The spellings of a catalog whose tools some profile names like this, in words. */
function spellings(
  variants: readonly (readonly [NamingStyle, ...Named[]])[],
  serverForms: Readonly<Record<string, Tool>> = {},
): Readonly<Record<string, string>> {
  const steps = spellingSteps(
    catalog,
    variants.map(([style, ...named]) => ({
      style,
      named: named.map(([name, tool, why = WISH]) => ({ name, tool, why })),
    })),
    (text) => serverForms[text],
  );
  let made: Spellings | undefined;
  while (made === undefined) made = steps.next().value ?? undefined;
  const { names, wishes, flats } = made;
  // A wish counts where nobody else has the text.
  const free = [...wishes].filter(([text]) => !names.has(text) && serverForms[text] === undefined);
  const told = [...names, ...free, ...flats].map(([text, claim]): [string, string] => [
    text,
    (isSeveral(claim) ? [...claim] : [claim]).map(({ raw }) => raw).join(" or "),
  ]);
  return Object.fromEntries(told);
}

describe("what leads to a tool beside its own name (RES-1)", () => {
  it("is what any profile calls it, and the same with the whole integration", () => {
    expect(
      spellings([
        ["flat", ["sf_get", get], ["docs_find", find]],
        ["flat", ["sf_get_2", get]],
      ]),
    ).toEqual({
      sf_get: "get",
      salesforce_get: "get",
      docs_find: "find",
      sf_get_2: "get",
      salesforce_get_2: "get",
    });
  });

  it.each(["sfget", "asf_get", "s_get", "SF_get", "sf"])("has the whole integration not for %s", (name) => {
    expect(spellings([["flat", [name, get]]])).toEqual({ [name]: "get" });
  });

  it("is two tools' where two are called so", () => {
    expect(
      spellings([
        ["flat", ["x", get]],
        ["flat", ["x", find]],
      ]),
    ).toEqual({ x: "get or find" });
  });

  it.each([
    ["fitted", true],
    ["unrepeated", true],
    ["cut", true],
    ["numbered", false],
  ] as const)("is also what it was to be called before it was %s: %j", (kind, isSpelling) => {
    const why = { kind, wish: "sf_get_all", takenBy: "x" } as Why;
    const wished = isSpelling ? { sf_get_all: "get", salesforce_get_all: "get" } : {};
    expect(
      spellings([
        ["flat", ["x", get, why]],
        ["flat", ["y", get, why]],
      ]),
    ).toEqual({
      x: "get",
      y: "get",
      ...wished,
    });
    const claimed = isSpelling
      ? { sf_get_all: "find or get", salesforce_get_all: "get" }
      : { sf_get_all: "find" };
    expect(spellings([["flat", ["sf_get_all", find], ["x", get, why]]])).toEqual({ x: "get", ...claimed });
  });

  it("has the whole integration only in flat names, of what it was to be called", () => {
    const why: Why = { kind: "cut", wish: "sf_get_all" };
    const found = spellings([["dotted", ["x", get, why]], ["flat"]]);
    expect(found).toEqual({ x: "get", sf_get_all: "get" });
  });

  it("is the flat name where no profile shows any, be it two tools'", () => {
    expect(spellings([["dotted", ["docs.find", find]]])).toEqual({
      "docs.find": "find",
      docs_find: "find",
      docs_a_b: "a.b or a_b",
      sf_get: "get",
      salesforce_get: "get",
    });
    expect(spellings([])).toHaveProperty("sf_get");
    expect(spellings([["flat"], ["dotted"]])).toEqual({});
  });

  it.each(["pinned", "locked"] as const)(
    "is what a %s tool would be called, unless that is another's",
    (kind) => {
      const why = { kind, wish: "w" } as Why;
      expect(spellings([["flat", ["x", get, why]]])).toEqual({
        x: "get",
        sf_get: "get",
        salesforce_get: "get",
      });
      expect(spellings([["flat", ["x", get, why], ["sf_get", find]]])).toEqual({
        x: "get",
        sf_get: "find",
        salesforce_get: "get",
      });
      expect(spellings([["flat", ["x", get, why]]], { salesforce_get: find })).toEqual({
        x: "get",
        sf_get: "get",
      });
      expect(spellings([["dotted", ["x", get, why]], ["flat"]])).toEqual({
        x: "get",
        "salesforce.get": "get",
      });
    },
  );
});
