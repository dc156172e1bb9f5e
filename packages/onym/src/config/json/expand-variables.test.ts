// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import { expandVariables } from "./expand-variables.js";

const env = { HOST: "example.com", EMPTY: "", __proto__: undefined };

describe("variables in a text (CFG-2)", () => {
  it.each([
    ["no variables", "plain $HOST text", "plain $HOST text"],
    ["one", "https://${HOST}/mcp", "https://example.com/mcp"],
    ["two", "${HOST}${HOST}", "example.comexample.com"],
    ["a default that is needed", "${PORT:-80}", "80"],
    ["a default that is not", "${HOST:-x}", "example.com"],
    ["an empty default", "[${PORT:-}]", "[]"],
    ["a default for an empty value, as in a shell", "${EMPTY:-x}", "x"],
    ["an empty value", "[${EMPTY}]", "[]"],
    ["a default with a colon and dashes", "${U:-http://a:1/-}", "http://a:1/-"],
    ["an escaped one", "$${HOST}", "${HOST}"],
    ["an escaped one before a real one", "$${${HOST}", "${example.com"],
    [
      "what editors fill in",
      "${workspaceFolder}/${input:key}/${userHome}",
      "${workspaceFolder}/${input:key}/${userHome}",
    ],
    ["an editor's form of a variable that is set", "${env:HOST}", "example.com"],
    ["an editor's form of one that is not", "${env:NO}", "${env:NO}"],
  ])("takes %s", (_, text, expected) => {
    expect(expandVariables(text, env)).toMatchObject({ text: expected, problems: [] });
  });

  it.each(["${", "${}", "${1X}", "${A-b}", "${A:+b}", "${A B}", "${A:-${HOST}}", "x${HOST"])(
    "refuses %s",
    (text) => {
      expect(expandVariables(text, env).problems[0]).toMatchObject({ code: "bad-variable" });
    },
  );

  it("tells of every variable that is not set, and of no property of an object", () => {
    const { problems } = expandVariables("${NO} ${constructor} ${toString}", env);
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ["missing-variable", "The variable NO is not set."],
      ["missing-variable", "The variable constructor is not set."],
      ["missing-variable", "The variable toString is not set."],
    ]);
  });

  it("says what only an editor can fill in, and leaves it as it is", () => {
    const { unfilled } = expandVariables("${env:NO} ${input:key} ${env:HOST} ${HOST}", env);
    expect(unfilled.map(({ variable }) => variable)).toEqual(["env:NO", "input:key"]);
  });

  it("is linear in 100 KB of openings", () => {
    expect(expandVariables("${".repeat(50_000), env).problems).toHaveLength(1);
    expect(expandVariables("$${".repeat(30_000), env).text).toHaveLength(60_000);
  });
});
