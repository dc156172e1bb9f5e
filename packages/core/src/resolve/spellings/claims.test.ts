import { describe, expect, it } from "vitest";
import { buildCatalog, compareTools } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import {
  addClaim,
  type Claim,
  type Claims,
  findCanonicalIn,
  findIn,
  isSeveral,
  lookUp,
  unite,
} from "./claims.js";

const [a, b, c] = buildCatalog([{ server: "s", tools: ["a", "b", "c"] }]).tools as readonly [
  Tool,
  Tool,
  Tool,
];

function claimsOf(texts: readonly string[]): Claims {
  const claims: Claims = new Map();
  for (const text of texts) addClaim(claims, text, a);
  return claims;
}

function toolsOf(claim: Claim | undefined): readonly Tool[] {
  if (claim === undefined) return [];
  return isSeveral(claim) ? [...claim] : [claim];
}

describe("claims to a spelling (RES-1)", () => {
  it("are one tool's, until another claims it too", () => {
    const claims: Claims = new Map();
    addClaim(claims, "x", a);
    addClaim(claims, "x", a);
    expect(claims.get("x")).toBe(a);
    addClaim(claims, "x", b);
    addClaim(claims, "x", b);
    addClaim(claims, "x", c);
    expect(toolsOf(claims.get("x"))).toEqual([a, b, c]);
    expect(lookUp(claims, "x")).toBe(claims.get("x"));
    expect(lookUp(claims, "y")).toBeUndefined();
    expect(lookUp(new Map(), "x")).toBeUndefined();
  });

  it("are united: everybody once, in the order that is asked for", () => {
    expect(unite(undefined, undefined)).toBeUndefined();
    expect(unite(a, undefined)).toBe(a);
    expect(unite(undefined, a)).toBe(a);
    expect(unite(a, a)).toBe(a);
    expect(toolsOf(unite(b, a))).toEqual([b, a]);
    expect(toolsOf(unite(b, a, compareTools))).toEqual([a, b]);
    expect(toolsOf(unite(new Set([c, a]), new Set([a, b]), compareTools))).toEqual([a, b, c]);
  });

  it.each([
    [["x", "mcp"], "x"],
    [["x", "mcp"], "mcp"],
    [["x", "mcp_y"], "mcp_y"],
    [["x", "mcp_y"], "x"],
    [["mcp__a__b"], "mcp__a__b"],
  ])("are found among %j by %s", (texts, text) => {
    expect(findIn(claimsOf(texts))(text)).toBe(a);
    expect(findIn(claimsOf(texts))(`${text}z`)).toBeUndefined();
    expect(findIn(claimsOf(texts))("mcp_other")).toBeUndefined();
  });

  it.each([
    [["s@1/x@1"], "s@1/x@1"],
    [["S@1/x@1", "s@1/x@1"], "S@1/x@1"],
    [["S@1/x@1", "s@1/x@1"], "s@1/x@1"],
    [["A@1/x@10"], "A@1/x@10"],
    [["Z@1/x@9"], "Z@1/x@9"],
    [["s@1/x@2090"], "s@1/x@2090"],
  ])("to canonical names are found among %j by %s", (texts, text) => {
    expect(findCanonicalIn(claimsOf(texts))(text)).toBe(a);
  });

  it("to canonical names are not found by what has no version, or starts as none of them does", () => {
    const find = findCanonicalIn(claimsOf(["s@1/x@1", "s@1/x", "s@1/x@", "1", "S@1/y@1"]));
    expect([find("s@1/x"), find("s@1/x@"), find("1"), find("")]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    expect(findCanonicalIn(claimsOf(["s@1/x@1"]))("S@1/x@1")).toBeUndefined();
  });
});
