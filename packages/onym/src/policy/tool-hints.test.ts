import { describe, expect, it } from "vitest";
import { policyOf, toolOf, type WrittenPolicy } from "../../../../test/policy/policy-of.js";
import type { Hints } from "../model/policy-rule.js";

const ANN = { principal: "ann" };

/** Which effect a rule on annotations comes to for a tool that declares these. */
function decide(
  effect: "allow" | "ask" | "deny",
  wanted: Hints,
  declared: unknown,
  more: WrittenPolicy = {},
): string {
  const source = { server: "fs", tools: [{ name: "x", annotations: declared }] };
  const rules = [{ effect, annotations: wanted as WrittenPolicy["annotations"] & object }];
  const written = { default: effect === "deny" ? "allow" : "deny", ...more, rules } as WrittenPolicy;
  return policyOf(written, {}, [source]).decide(toolOf(source), ANN).effect;
}

const READ = { readOnlyHint: true };
const HARMLESS = { destructiveHint: false };
const HARMFUL = { destructiveHint: true };
const trusted = { trusted: ["fs"] };

describe("what an untrusted server declares only makes stricter (POL-1)", () => {
  it.each([
    ["nothing declared is destructive", "deny", HARMFUL, undefined, "deny"],
    ["a claim to be harmless is not believed", "deny", HARMFUL, HARMLESS, "deny"],
    ["nor a claim to be read-only", "deny", HARMFUL, READ, "deny"],
    ["nor in a question", "ask", { readOnlyHint: false }, READ, "ask"],
    ["a claim turns no denial into a question", "ask", READ, READ, "deny"],
    ["an admission is", "deny", { openWorldHint: true }, { openWorldHint: true }, "deny"],
    ["a claim is enough to be restricted for it", "deny", READ, READ, "deny"],
    ["read-only is not allowed for the claim", "allow", READ, READ, "deny"],
    ["harmless is not allowed for the claim", "allow", HARMLESS, HARMLESS, "deny"],
    ["harmless is not allowed for a read-only claim", "allow", HARMLESS, READ, "deny"],
    ["what is no true or false is not declared", "allow", READ, { readOnlyHint: "true" }, "deny"],
    ["nor what is inherited", "allow", READ, Object.create({ readOnlyHint: true }), "deny"],
    ["nor a list", "allow", READ, [true], "deny"],
  ] as const)("%s", (_, effect, wanted, declared, expected) => {
    expect(decide(effect, wanted, declared)).toBe(expected);
  });
});

describe("what a trusted server declares is believed (POL-1)", () => {
  it.each([
    ["read-only", "allow", READ, READ, "allow"],
    ["read-only tools destroy nothing", "allow", HARMLESS, READ, "allow"],
    ["whatever else they say", "deny", HARMFUL, { ...READ, ...HARMFUL }, "allow"],
    ["harmless", "deny", HARMFUL, HARMLESS, "allow"],
    ["but not what it does not declare", "deny", HARMFUL, {}, "deny"],
    ["all hints of a rule must hold", "allow", { ...READ, openWorldHint: false }, READ, "deny"],
  ] as const)("%s", (_, effect, wanted, declared, expected) => {
    expect(decide(effect, wanted, declared, trusted)).toBe(expected);
  });
});

describe("what the operator says holds over both (POL-1)", () => {
  it.each([
    ["laxer", "allow", READ, undefined, { "fs@1/x@1": READ }, "allow"],
    [
      "laxer, for the first version where none is written",
      "allow",
      READ,
      undefined,
      { "fs/x": READ },
      "allow",
    ],
    ["not for another version", "allow", READ, undefined, { "fs@2/x": READ }, "deny"],
    ["stricter than a trusted server", "deny", HARMFUL, READ, { "fs@*/*": HARMFUL }, "deny"],
    ["read-only tools destroy nothing", "deny", HARMFUL, HARMFUL, { "fs@1/x@1": READ }, "allow"],
    [
      "the stricter of two, in any order",
      "allow",
      READ,
      READ,
      { "fs/x": READ, "*/*": { readOnlyHint: false } },
      "deny",
    ],
    [
      "the stricter of two, in any order",
      "allow",
      READ,
      READ,
      { "*/*": { readOnlyHint: false }, "fs/x": READ },
      "deny",
    ],
  ] as const)("%s", (_, effect, wanted, declared, annotations, expected) => {
    expect(decide(effect, wanted, declared, { ...trusted, annotations })).toBe(expected);
  });
});

describe("the hints of a tool, and who says so (POL-1)", () => {
  const source = (annotations: unknown, toolbox?: string) => ({
    server: "fs",
    ...(toolbox === undefined ? {} : { toolbox }),
    tools: [{ name: "x", annotations }],
  });
  const hintsOf = (written: WrittenPolicy, annotations: unknown) => {
    const from = source(annotations);
    return policyOf(written, {}, [from]).hintsOf(toolOf(from));
  };

  it("are the careful ones where nothing is declared", () => {
    for (const nothing of [undefined, {}, null, "text", { readOnlyHint: 1 }])
      expect(hintsOf({}, nothing)).toEqual({
        readOnlyHint: { value: false, source: "default" },
        destructiveHint: { value: true, source: "default" },
        idempotentHint: { value: false, source: "default" },
        openWorldHint: { value: true, source: "default" },
      });
  });

  it("tell what an untrusted server claims only where it claims something else", () => {
    const hints = hintsOf({}, { readOnlyHint: true, destructiveHint: true, openWorldHint: false });
    expect(hints.readOnlyHint).toEqual({ value: false, source: "default", claimed: true });
    expect(Object.keys(hints.destructiveHint)).toEqual(["value", "source"]);
    expect(hints.openWorldHint).toEqual({ value: true, source: "default", claimed: false });
  });

  it("are a trusted server's, or the operator's", () => {
    const written = { ...trusted, annotations: { "fs@1/x@1": { idempotentHint: true } } };
    expect(hintsOf(written, { readOnlyHint: true, idempotentHint: false })).toEqual({
      readOnlyHint: { value: true, source: "trusted server" },
      destructiveHint: { value: false, source: "trusted server" },
      idempotentHint: { value: true, source: "operator" },
      openWorldHint: { value: true, source: "default" },
    });
  });

  it("follow a former name where the operator makes them stricter, and not where laxer", () => {
    const from = source({ readOnlyHint: true });
    const of = (hints: Hints) =>
      policyOf(
        { ...trusted, annotations: { "fs@1/old@1": hints } } as WrittenPolicy,
        { formerNames: () => ["fs@1/old@1"] },
        [from],
      ).hintsOf(toolOf(from));
    expect(of({ readOnlyHint: false }).readOnlyHint).toEqual({ value: false, source: "operator" });
    expect(of({ openWorldHint: false }).openWorldHint).toEqual({ value: true, source: "default" });
  });

  it("are believed of the server that is trusted, and of no other", () => {
    const declared = { readOnlyHint: true };
    const others = [source(declared), { ...source(declared), server: "db" }];
    const policy = policyOf(trusted, {}, others);
    expect(others.map((from) => policy.hintsOf(toolOf(from)).readOnlyHint.source)).toEqual([
      "trusted server",
      "default",
    ]);
  });
});
