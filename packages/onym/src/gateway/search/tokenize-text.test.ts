import { describe, expect, it } from "vitest";
import { tokenizeText } from "./tokenize-text.js";

describe("tokenizeText", () => {
  it.each([
    ["snake and kebab", "read_file-now", ["read", "file", "now"]],
    ["camel case, with the whole", "readFile", ["readfile", "read", "file"]],
    ["capitals in a row", "HTTPServer", ["httpserver", "http", "server"]],
    ["dots and slashes", "a.b/c", ["a", "b", "c"]],
    ["digits", "v2 oauth2Token", ["v2", "oauth2token", "oauth2", "token"]],
    ["full-width letters", "ＦＩＬＥ", ["file"]],
    ["composed and decomposed letters", "e\u0301", ["é"]],
    ["pairs where there are no spaces", "搜索文", ["搜索", "索文", "文"]],
    ["nothing in symbols", "!? 🔎 __", []],
    ["nothing in very long runs", "a".repeat(65), []],
  ])("splits %s", (_, text, tokens) => {
    expect(tokenizeText(text)).toEqual(tokens);
  });
});
