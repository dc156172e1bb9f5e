import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nameRulesFor } from "../sent/name-budget.js";
import { matchesProfile, sentName } from "../sent/sent-name.js";
import { defineProfile } from "./define-profile.js";
import type { ProfileInput } from "./profile-input.js";

function define(input: ProfileInput) {
  const result = defineProfile(input);
  if (!result.ok) throw new Error(result.problem.message);
  return result.value;
}

describe("defineProfile", () => {
  it("completes what the user left out (RULE-1)", () => {
    expect(define({ id: "acme-chat", pattern: "^[a-zA-Z0-9_-]{1,48}$" })).toMatchObject({
      id: "acme-chat",
      title: "acme-chat",
      kind: "client",
      minLength: 1,
      maxLength: undefined,
      caseSensitive: true,
      confidence: "assumed",
      unrestricted: false,
      rules: { shape: "ascii", first: "", minLength: 1, maxLength: 48 },
      client: { prefix: "", suffix: "", alias: "verbatim", sentPattern: "^[a-zA-Z0-9_-]{1,48}$" },
    });
  });

  it("counts prefix and suffix against the combined limit (RULE-4)", () => {
    const profile = define({
      id: "acme",
      pattern: "^[a-z_]+$",
      prefix: "{server}:",
      suffix: "!",
      combinedMaxLength: 40,
      aliasRewrite: "slug",
    });
    expect(nameRulesFor(profile, "My Tools").maxLength).toBe(30);
    expect(sentName("get", profile, "My Tools")).toBe("my_tools:get!");
    expect(matchesProfile("a".repeat(30), profile, "My Tools")).toBe(true);
    expect(matchesProfile("a".repeat(31), profile, "My Tools")).toBe(false);
  });

  it("leaves the bare limit alone where only that is known (RULE-4)", () => {
    const profile = define({ id: "acme", pattern: "^[a-z][a-z0-9_]{0,39}$", prefix: "{server}." });
    expect(nameRulesFor(profile, "onym").maxLength).toBe(40);
  });

  it("knows that nothing is restricted (RULE-2)", () => {
    expect(define({ id: "free", pattern: "^[\\s\\S]+$" }).unrestricted).toBe(true);
    expect(define({ id: "short", pattern: "^[\\s\\S]+$", maxLength: 10 }).unrestricted).toBe(false);
  });

  it("takes the alphabet from the user where the pattern does not show it (RULE-1)", () => {
    const input = { id: "words", pattern: "^[a-z]+(-[a-z]+)*$", maxLength: 30 };
    expect(defineProfile(input)).toMatchObject({ ok: false, problem: { code: "rules-unknown" } });
    expect(define({ ...input, alphabet: "abcdef-", first: "abcdef", forbidden: ["--"] }).rules).toEqual({
      shape: "ascii",
      alphabet: "abcdef-",
      first: "abcdef",
      forbidden: ["--"],
      minLength: 1,
      maxLength: 30,
    });
  });

  it("narrows a derived alphabet, first characters included (RULE-1)", () => {
    const { rules } = define({ id: "narrow", pattern: "^[a-z][a-z0-9_]*$", alphabet: "abc1", maxLength: 9 });
    expect(rules).toMatchObject({ alphabet: "abc1", first: "abc", shape: "ascii" });
  });

  it.each([
    "^(?!.*--)[a-z-]+$",
    "^(?!.*aa)[a-z]{1,30}$",
    "^(?!.*aa)(?!.*bb)[ab]{3,9}$",
    "^(?!.*__)[a-zA-Z_][a-zA-Z0-9_]{0,40}$",
  ])("takes %s, whose bans say nothing of its characters (RULE-1)", (pattern) => {
    expect(define({ id: "banned", pattern }).rules.forbidden).not.toEqual([]);
  });

  it.each([
    [{ id: "Bad Id", pattern: "^[a-z]+$" }, "bad-id"],
    [{ id: "a--b", pattern: "^[a-z]+$" }, "bad-id"],
    [{ id: "__proto__", pattern: "^[a-z]+$" }, "bad-id"],
    [{ id: 5, pattern: "^[a-z]+$" }, "bad-id"],
    [null, "bad-profile"],
    [{ id: "a", pattern: "^[a-z" }, "bad-pattern"],
    [{ id: "a", pattern: "^(($" }, "bad-pattern"],
    [{ id: "a", pattern: "[a-z]+" }, "bad-pattern"],
    [{ id: "a" }, "bad-pattern"],
    [{ id: "a", pattern: `^[a-z]{1,${"9".repeat(600)}}$` }, "bad-pattern"],
    [{ id: "a", pattern: "^(a+)+$", alphabet: "a", maxLength: 9 }, "bad-pattern"],
    [{ id: "a", pattern: "^(a|a)*$", alphabet: "a", maxLength: 9 }, "bad-pattern"],
    [{ id: "a", pattern: "^(_[a-z_]+)*$", alphabet: "a", maxLength: 9 }, "bad-pattern"],
    [{ id: "a", pattern: "^(a)\\1$", alphabet: "a", maxLength: 9 }, "bad-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", sentPattern: "^.*.*$" }, "bad-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", maxLength: 0 }, "bad-length"],
    [{ id: "a", pattern: "^[a-z]+$", maxLength: 1.5 }, "bad-length"],
    [{ id: "a", pattern: "^[a-z]+$", maxLength: Number.NaN }, "bad-length"],
    [{ id: "a", pattern: "^[a-z]+$", minLength: 9, maxLength: 8 }, "bad-length"],
    [{ id: "a", pattern: "^[a-z]+$", prefix: 5 }, "bad-text"],
    [{ id: "a", pattern: "^[a-z]+$", forbidden: [""] }, "bad-text"],
    [{ id: "a", pattern: "^[a-z]+$", listChanged: "yes" }, "bad-flag"],
    [{ id: "a", pattern: "^[a-z]+$", aliasRewrite: "toString" }, "bad-alias-rewrite"],
    [{ id: "a", pattern: "^[a-z]+$", alphabet: "abcA" }, "alphabet-outside-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", alphabet: "é" }, "alphabet-outside-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", first: "A" }, "alphabet-outside-pattern"],
    [{ id: "a", pattern: "^.+$" }, "rules-unknown"],
    [{ id: "a", pattern: "^[a-z]+$", emit: "^[A-Z]+$" }, "alphabet-outside-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", emit: "[a-z]" }, "bad-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", firstChar: "a-z" }, "bad-pattern"],
    [{ id: "a", pattern: "^[a-z]+$", rewrite: "verbatim" }, "bad-rewrite"],
    [{ id: "a", pattern: "^[a-z]+$", cut: "sha" }, "bad-cut"],
    [{ id: "a", pattern: "^[a-z]+$", skipsPrefixOn: "" }, "bad-skips-prefix-on"],
    [{ id: "a", pattern: "^[a-z]+$", reserved: "grep" }, "bad-text"],
    [{ id: "a", pattern: "^[a-z]+$", clientInfoNames: [5] }, "bad-text"],
    [{ id: "a", pattern: "^[a-z]+$", equatesHyphens: 1 }, "bad-flag"],
    [{ id: "a", pattern: "^[a-z]+$", safeMaxLength: 3, minLength: 4 }, "bad-length"],
  ])("refuses %j with %s, and throws nothing (RULE-1)", (input, code) => {
    // Files hold anything, whatever the types say.
    const result = defineProfile(input as unknown as ProfileInput);
    expect(result).toMatchObject({ ok: false, problem: { code, severity: "error" } });
  });

  it("answers for any input (SAFE-1)", () => {
    fc.assert(
      fc.property(fc.anything(), fc.string(), (value, pattern) => {
        expect(typeof defineProfile(value as ProfileInput).ok).toBe("boolean");
        const fields = { id: "x", pattern: `^${pattern}$`, alphabet: value, maxLength: value };
        expect(typeof defineProfile(fields as unknown as ProfileInput).ok).toBe("boolean");
      }),
    );
  });
});
