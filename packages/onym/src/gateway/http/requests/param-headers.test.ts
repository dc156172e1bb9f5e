import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { checkParamHeaders, formatParamHeaders } from "./param-headers.js";
import { type HeaderParam, scanHeaderParams } from "./scan-header-params.js";

const arg = (header: unknown, type: unknown = "string") => ({ type, "x-mcp-header": header });
const of = (properties: object) => ({ type: "object", properties });

describe("scanHeaderParams", () => {
  it.each([
    ["no schema", undefined, []],
    ["a schema that is a list", [arg("A")], []],
    ["a schema without any", of({ a: { type: "string" } }), []],
    ["one", of({ region: arg("Region") }), [["Region", ["region"], "string"]]],
    [
      "every type",
      of({ a: arg("A", "integer"), b: arg("B", "boolean") }),
      [
        ["A", ["a"], "integer"],
        ["B", ["b"], "boolean"],
      ],
    ],
    ["one further down", of({ a: of({ b: arg("B") }) }), [["B", ["a", "b"], "string"]]],
    [
      "arguments named like members of objects",
      JSON.parse('{"properties":{"__proto__":{"type":"string","x-mcp-header":"P"}}}'),
      [["P", ["__proto__"], "string"]],
    ],
    ["an argument named as the annotation", of({ "x-mcp-header": { type: "string" } }), []],
    ["examples, which are no schemas", of({ a: { examples: [arg("A")], default: arg("A") } }), []],
  ])("finds %s", (_, schema, found) => {
    const scan = scanHeaderParams(schema);
    expect(scan.outcome).toBe("valid");
    expect(scan.declarations.map(({ header, path, type }) => [header, path, type])).toEqual(found);
  });

  it.each<readonly [string, unknown, RegExp]>([
    ["an empty name", of({ a: arg("") }), /header name/],
    ["a name that is no text", of({ a: arg(5) }), /header name/],
    ["a name with a line break", of({ a: arg("A\r\nB") }), /header name/],
    ["a name with a space", of({ a: arg("A B") }), /header name/],
    ["a name beyond ASCII", of({ a: arg("É") }), /header name/],
    ["a very long name", of({ a: arg("a".repeat(129)) }), /header name/],
    ["no type", of({ a: { "x-mcp-header": "A" } }), /needs the type/],
    ["an object", of({ a: arg("A", "object") }), /needs the type/],
    ["several types", of({ a: arg("A", ["string", "null"]) }), /needs the type/],
    ["one name twice", of({ a: arg("Region"), b: arg("REGION") }), /declared twice, here and at "a"/],
    ["the root", arg("A"), /reached through/],
    ...["items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"].map(
      (key) => [key, of({ a: { [key]: arg("A") } }), /reached through/] as const,
    ),
    ...["prefixItems", "oneOf", "anyOf", "allOf"].map(
      (key) => [key, { [key]: [arg("A")] }, /reached through/] as const,
    ),
    ...["$defs", "definitions", "patternProperties", "dependentSchemas"].map(
      (key) => [key, { [key]: { x: arg("A") } }, /reached through/] as const,
    ),
    ["properties under another keyword", { anyOf: [of({ a: arg("A") })] }, /reached through/],
  ])("refuses %s", (_, schema, reason) => {
    const scan = scanHeaderParams(schema);
    expect(scan).toEqual({ outcome: "invalid", reason: expect.stringMatching(reason), declarations: [] });
  });

  it("refuses numbers, but tells what was declared", () => {
    const scan = scanHeaderParams(of({ a: arg("A", "number") }));
    expect(scan).toMatchObject({ outcome: "invalid", declarations: [{ header: "A", type: "number" }] });
    expect(scanHeaderParams(of({ a: arg("A", "number"), b: arg("") }))).toMatchObject({ declarations: [] });
  });

  it("joins no place that it does not tell (SAFE-4)", () => {
    const leaf = (n: number) => ({ type: "string", "x-mcp-header": `H${n}` });
    const properties = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`p${n}`, leaf(n)]));
    const join = vi.spyOn(Array.prototype, "join");
    const { outcome, declarations } = scanHeaderParams({ properties: { long: { properties } } });
    const joined = join.mock.calls.length;
    join.mockRestore();
    expect([outcome, declarations.length, joined]).toEqual(["valid", 100, 0]);
  });

  it("comes to an end on deep and wide schemas, which stay valid", () => {
    let deep: object = arg("Deep");
    for (let level = 0; level < 100_000; level++) deep = of({ a: deep });
    expect(scanHeaderParams(deep)).toEqual({ outcome: "valid", declarations: [] });
    const wide = of(
      Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { type: "string" }])),
    );
    expect(scanHeaderParams(wide)).toEqual({ outcome: "valid", declarations: [] });
  });
});

describe("Mcp-Param headers repeat arguments", () => {
  const declarations: readonly HeaderParam[] = [
    { path: ["region"], header: "Region", type: "string" },
    { path: ["page", "size"], header: "Size", type: "integer" },
    { path: ["dry"], header: "Dry", type: "boolean" },
  ];

  it.each([
    ["nothing", {}, []],
    [
      "texts, numbers and truth",
      { region: "eu", page: { size: 5 }, dry: false },
      [
        ["Mcp-Param-Region", "eu"],
        ["Mcp-Param-Size", "5"],
        ["Mcp-Param-Dry", "false"],
      ],
    ],
    ["what is no plain ASCII", { region: "größe" }, [["Mcp-Param-Region", "=?base64?Z3LDtsOfZQ==?="]]],
    ["line breaks", { region: "a\r\nb" }, [["Mcp-Param-Region", "=?base64?YQ0KYg==?="]]],
    ["nothing for null, lists and objects", { region: null, page: [], dry: {} }, []],
    ["nothing for numbers that are not exact", { page: { size: 2 ** 60 } }, []],
    ["nothing for inherited values", { page: "text" }, []],
  ])("writes %s", (_, args, headers) => {
    expect(formatParamHeaders(declarations, args)).toEqual(headers);
  });

  const check = (args: object, ...headers: [string, string][]) =>
    checkParamHeaders(declarations, args as { [key: string]: unknown }, new Map(headers));

  it.each<[string, object, [string, string][]]>([
    ["equal texts", { region: "eu" }, [["mcp-param-region", "eu"]]],
    ["encoded texts", { region: "größe" }, [["mcp-param-region", "=?base64?Z3LDtsOfZQ==?="]]],
    ["numbers written otherwise", { page: { size: 42 } }, [["mcp-param-size", "42.0"]]],
    ["a header without argument", {}, [["mcp-param-region", "eu"]]],
    ["a header for null", { region: null }, [["mcp-param-region", "eu"]]],
    ["truth", { dry: true }, [["mcp-param-dry", "true"]]],
  ])("accepts %s", (_, args, headers) => {
    expect(check(args, ...headers)).toBeUndefined();
  });

  it.each<[string, object, [string, string][], RegExp]>([
    ["a missing header", { region: "eu" }, [], /header Mcp-Param-Region is missing/],
    [
      "another text",
      { region: "eu" },
      [["mcp-param-region", "us"]],
      /says "us", argument "region" says "eu"/,
    ],
    ["another case", { region: "eu" }, [["mcp-param-region", "EU"]], /says "EU"/],
    ["another number", { page: { size: 5 } }, [["mcp-param-size", "6"]], /argument "page.size" says "5"/],
    ["a number that is none", { page: { size: 5 } }, [["mcp-param-size", "0x5"]], /says "0x5"/],
    ["broken Base64", { region: "eu" }, [["mcp-param-region", "=?base64?%?="]], /not valid Base64/],
    ["truth as a number", { dry: true }, [["mcp-param-dry", "1"]], /says "1"/],
  ])("refuses %s with -32020 (GW-4)", (_, args, headers, message) => {
    const problem = check(args, ...headers);
    expect(problem?.code).toBe(-32020);
    expect(problem?.message).toMatch(message);
    expect(problem?.data).toMatchObject({ mismatch: { header: expect.stringMatching(/^Mcp-Param-/) } });
  });

  it("accepts the headers it writes, whatever the arguments", () => {
    const value = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(value, value, value, (region, size, dry) => {
        const args = { region, page: { size }, dry };
        const headers = formatParamHeaders(declarations, args);
        for (const [, text] of headers) expect(text).toMatch(/^[ -~]*$/);
        expect(
          check(args, ...headers.map(([name, text]): [string, string] => [name.toLowerCase(), text])),
        ).toBeUndefined();
      }),
    );
  });
});
