import { describe, expect, it } from "vitest";
import { checkDefinition } from "./live-definitions.js";

const object = { type: "object" };
const codes = (definition: object): readonly string[] =>
  checkDefinition({ raw: "x", definition }).map(({ code, severity }) => `${severity} ${code}`);

describe("a definition", () => {
  it("with a schema that is an object and a description is fine", () => {
    expect(codes({ description: "Does x.", inputSchema: object, outputSchema: object })).toEqual([]);
  });

  it.each([undefined, null, [], "object", {}, { type: "string" }, { type: ["object"] }])(
    "with the inputSchema %j makes clients refuse the list",
    (inputSchema) => {
      expect(codes({ description: "Does x.", inputSchema })).toEqual(["error bad-input-schema"]);
    },
  );

  it("with another output than an object is refused by older clients", () => {
    const definition = { description: "Does x.", inputSchema: object, outputSchema: { type: "array" } };
    expect(codes(definition)).toEqual(["warning bad-output-schema"]);
  });

  it.each([undefined, "", "  "])("with the description %j says nothing to a model", (description) => {
    const given = description === undefined ? {} : { description };
    expect(codes({ inputSchema: object, ...given })).toEqual(["warning no-description"]);
  });
});
