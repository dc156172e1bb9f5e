// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of config files.

import { describe, expect, it } from "vitest";
import { MASK, maskArguments, maskEntry } from "./mask-secrets.js";

describe("what people may see of an entry", () => {
  it("masks the values of env and headers, and shows variables", () => {
    const entry = {
      command: "npx",
      env: { A: "plain-secret", B: "${B}", C: "", D: "x${D}", N: 1 },
      headers: { Authorization: "Bearer abc", X: "Bearer ${T}" },
    };
    expect(maskEntry(entry)).toEqual({
      command: "npx",
      env: { A: MASK, B: "${B}", C: "", D: `${MASK}\${D}`, N: 1 },
      headers: { Authorization: MASK, X: "Bearer ${T}" },
    });
  });

  it.each([
    [
      ["-y", "some-server", "/data"],
      ["-y", "some-server", "/data"],
    ],
    [
      ["--token", "abc"],
      ["--token", MASK],
    ],
    [
      ["--token", "--verbose"],
      ["--token", "--verbose"],
    ],
    [
      ["--api-key=abc", "--port=80"],
      [`--api-key=${MASK}`, "--port=80"],
    ],
    [
      ["--header", "Authorization: Bearer abc"],
      ["--header", `Authorization:${MASK}`],
    ],
    [
      ["--header", "Authorization: Bearer ${T}"],
      ["--header", "Authorization:Bearer ${T}"],
    ],
    [["ghp_0123456789"], [MASK]],
    [["0123456789abcdef0123456789abcdef"], [MASK]],
    [["@modelcontextprotocol/server-filesystem"], ["@modelcontextprotocol/server-filesystem"]],
    [["postgres://me:pw@db/x"], [`postgres://${MASK}@db/x`]],
    [["https://x/mcp?key=abc&v=${V}"], [`https://x/mcp?key=${MASK}&v=\${V}`]],
  ])("%j", (args, expected) => {
    expect(maskArguments(args)).toEqual(expected);
  });
});
