import { describe, expect, it } from "vitest";
import { deriveRules, expandClass } from "./derive-rules.js";

const ABC = "abcdefghijklmnopqrstuvwxyz";

describe("deriveRules", () => {
  it.each([
    ["^[a-z]{1,64}$", { shape: "ascii", alphabet: ABC, first: "", minLength: 1, maxLength: 64 }],
    ["^[a-z]+$", { minLength: 1, maxLength: Infinity }],
    ["^[a-z]*$", { minLength: 0, maxLength: Infinity }],
    ["^[a-z]{3}$", { minLength: 3, maxLength: 3 }],
    ["^[a-z]{3,}$", { minLength: 3, maxLength: Infinity }],
    [
      "^[a-c][a-z_]{0,9}$",
      { shape: "ascii", alphabet: `_${ABC}`, first: "abc", minLength: 1, maxLength: 10 },
    ],
    ["^[a-c](?!.*--)[a-z-]*$", { first: "abc", forbidden: ["--"], minLength: 1 }],
    ["^(?!.*___)(?!.*ab)[a-z_]+$", { forbidden: ["___", "ab"] }],
    ["^[a-z][a-zA-Z0-9]*$", { shape: "camel", first: ABC }],
    ["^[a-z][a-z0-9]*(_[a-z0-9]+)*$", { shape: "snake", first: ABC, forbidden: ["__"] }],
    ["^[a-z0-9]+(_[a-z0-9]+)*$", { shape: "snake", first: `${ABC}0123456789` }],
    ["^[\\s\\S]+$", { shape: "any", alphabet: "", minLength: 1, maxLength: Infinity }],
    ["^[\\s\\S]{1,9}$", { shape: "any", maxLength: 9 }],
  ])("reads the rules off %s (RULE-1)", (pattern, rules) => {
    expect(deriveRules(pattern)).toMatchObject(rules);
  });

  it.each(["^a|b$", "^[^a]+$", "[a-z]+", "^[a-z]+", "^(a+)+$", "^[1-9][a-z]*$", "^[é]+$", "^\\w+$", ""])(
    "does not pretend to understand %j (RULE-1)",
    (pattern) => {
      expect(deriveRules(pattern)).toBeUndefined();
    },
  );
});

describe("expandClass", () => {
  it.each([
    ["a-c_-", "-_abc"],
    ["-a", "-a"],
    ["\\w", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz"],
    ["\\d.", ".0123456789"],
    ["\\-\\]\\\\", "-\\]"],
  ])("spells out [%s] (RULE-1)", (body, expected) => {
    expect(expandClass(body)).toBe(expected);
  });

  it.each(["\\s", "é", "z-a", "\\w-z\n", "a-\\w"])("gives up on [%s] (RULE-1)", (body) => {
    expect(expandClass(body)).toBeUndefined();
  });
});
