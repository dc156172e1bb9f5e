import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatCanonicalName, isIntegration, parseToolName, withoutToolbox } from "./canonical-name.js";
import { isVersion } from "./version.js";

const parse = (text: string) => {
  const parsed = parseToolName(text);
  return parsed.ok ? parsed.value : parsed.problem.code;
};

describe("parseToolName", () => {
  it.each([
    ["data-grout@1/discovery.discover@1", "data-grout", 1, "discovery.discover", "discovery", 1],
    ["salesforce@1/get_leads@1", "salesforce", 1, "get_leads", undefined, 1],
    ["salesforce/get_leads", "salesforce", 1, "get_leads", undefined, 1],
    ["salesforce@v1/get_leads@v12", "salesforce", 1, "get_leads", undefined, 12],
    ["salesforce@latest/get_leads@latest", "salesforce", "latest", "get_leads", undefined, "latest"],
    ["a@2/b", "a", 2, "b", undefined, 1],
    ["a/b@2", "a", 1, "b", undefined, 2],
    ["a@1/b/c@d@3", "a", 1, "b/c@d", undefined, 3],
    ["a@1/x.y.z@1", "a", 1, "x.y.z", "x.y", 1],
    ["a@1/.hidden@1", "a", 1, ".hidden", undefined, 1],
    ["a@1/@1", "a", 1, "", undefined, 1],
    ["Salesforce@1/GET@1", "Salesforce", 1, "GET", undefined, 1],
  ])("reads %s (CANON-2) (CANON-3)", (text, integration, integrationVersion, tool, suite, toolVersion) => {
    expect(parse(text)).toEqual({ integration, integrationVersion, tool, suite, toolVersion });
  });

  it.each([
    ["dev:fs@1/read@1", "dev", "fs", "read"],
    ["dev_2:fs/read", "dev_2", "fs", "read"],
    ["Dev:fs/a:b/c", "Dev", "fs", "a:b/c"],
    ["fs@1/a:b@1", undefined, "fs", "a:b"],
  ])("reads the toolbox in front of %s (CANON-7)", (text, toolbox, integration, tool) => {
    expect(parse(text)).toMatchObject({ toolbox, integration, integrationVersion: 1, tool, toolVersion: 1 });
  });

  it.each([
    [":fs/x", "bad-toolbox"],
    ["a__b:fs/x", "bad-toolbox"],
    ["_a:fs/x", "bad-toolbox"],
    ["dev:/x", "bad-integration"],
    ["dev:prod:fs/x", "bad-integration"],
    ["dev:fs@01/x", "bad-version"],
  ])("refuses the toolbox or what follows it in %j (CANON-7)", (text, code) => {
    expect(parse(text)).toBe(code);
  });

  it.each([
    "@01",
    "@1.0",
    "@0",
    "@-1",
    "@",
    "@v",
    "@v0",
    "@V1",
    "@LATEST",
    "@1e3",
    "@ 1",
    "@999999999999999999999",
  ])("never coerces the version %s, in either place (CANON-3)", (version) => {
    expect(parse(`a${version}/b@1`)).toBe("bad-version");
    expect(parse(`a@1/b${version}`)).toBe("bad-version");
  });

  it.each([
    ["", "no-slash"],
    ["get_leads", "no-slash"],
    ["/x", "bad-integration"],
    ["-a/x", "bad-integration"],
    ["a--b/x", "bad-integration"],
    ["a_b/x", "bad-integration"],
    ["ä/x", "bad-integration"],
    ["__proto__/x", "bad-integration"],
  ])("refuses %j with a code, a position and a fix (CANON-1)", (text, code) => {
    const parsed = parseToolName(text);
    expect(parsed).toMatchObject({ ok: false, problem: { code, severity: "error" } });
    expect(parsed.ok ? undefined : parsed.problem.fix).not.toBe("");
    expect(parsed.ok ? undefined : parsed.problem.position).toBeTypeOf("number");
  });

  it("is total, for any text at all (CANON-2)", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 60 }), (text) => {
        expect(() => parseToolName(text)).not.toThrow();
      }),
      { numRuns: 10_000 },
    );
    for (const text of [
      "%25".repeat(33_000),
      "_".repeat(10_000),
      "\ud800",
      "a/".repeat(50_000),
      "@".repeat(100_000),
    ]) {
      expect(() => parseToolName(text)).not.toThrow();
    }
  });

  it("gives every tool name and toolbox back from the canonical form (CANON-2) (CANON-7)", () => {
    const integration = fc.stringMatching(/^[a-z0-9]{1,4}(-[a-z0-9]{1,3}){0,2}$/);
    const version = fc.integer({ min: 1, max: 999_999_999_999_999 });
    const tool = fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[a-c.:/@~%_1v-]{0,12}$/));
    const toolbox = fc.option(fc.stringMatching(/^[a-cA-C1-](_?[a-c-]){0,3}$/), { nil: undefined });
    const name = fc.record({
      toolbox,
      integration,
      integrationVersion: version,
      tool,
      toolVersion: version,
    });
    fc.assert(
      fc.property(name, (parts) => {
        const text = formatCanonicalName(parts);
        expect(parse(text)).toMatchObject(parts);
        expect(withoutToolbox(text)).toBe(formatCanonicalName({ ...parts, toolbox: undefined }));
      }),
      { numRuns: 10_000 },
    );
  });
});

describe("isIntegration", () => {
  it.each([
    ["data-grout", true],
    ["a1", true],
    ["", false],
    ["Data", false],
    ["a-", false],
    ["a--b", false],
    ["a_b", false],
  ])("says of %j: %s (CANON-1)", (text, verdict) => expect(isIntegration(text)).toBe(verdict));
});

describe("isVersion", () => {
  it.each([1, 2, 999_999_999_999_999])("takes %s (CANON-3)", (value) => expect(isVersion(value)).toBe(true));
  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15, "1", null])(
    "refuses %s (CANON-3)",
    (value) => expect(isVersion(value)).toBe(false),
  );
});
