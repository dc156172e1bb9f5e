import { describe, expect, it } from "vitest";
import { globForms, matchesForms, uriForms } from "./uri-forms.js";

describe("the forms of an address (POL-9)", () => {
  it.each([
    ["file:///a/b", ["file:///a/b"]],
    ["file:///a/..b/.c/d.", ["file:///a/..b/.c/d."]],
    ["FILE://HOST/Path", ["FILE://HOST/Path", "file://host/Path"]],
    ["file:///a/..", ["file:///a/..", "file:///"]],
    ["file:///a/.", ["file:///a/.", "file:///a/"]],
    ["file:///a/./b", ["file:///a/./b", "file:///a/b"]],
    ["file:///a/../b", ["file:///a/../b", "file:///b"]],
    ["file:///../../b", ["file:///../../b", "file:///b"]],
    ["file:///a/b/../../c", ["file:///a/b/../../c", "file:///c"]],
    ["file:///a/..?q=/../x", ["file:///a/..?q=/../x", "file:///?q=/../x"]],
    ["file:///a/..#f/../x", ["file:///a/..#f/../x", "file:///#f/../x"]],
    ["file:///a//b", ["file:///a//b", "file:///a/b"]],
    ["file:///a//", ["file:///a//", "file:///a/"]],
    ["file:////a", ["file:////a", "file:///a"]],
    ["memo:a/../b", ["memo:a/../b", "memo:a/b"]],
    ["a/b/../c", ["a/b/../c", "a/c"]],
    ["file:///a\\b", ["file:///a\\b", "file:///a/b"]],
    ["file://host", ["file://host"]],
    ["file://host?q=/../x", ["file://host?q=/../x"]],
    ["1x:A//b", ["1x:A//b", "1x:A/b"]],
    ["file:///%61", ["file:///%61", "file:///a"]],
    ["file:///%c3%a9", ["file:///%c3%a9", "file:///é"]],
    ["file:///%zz", ["file:///%zz"]],
    ["file:///%2525252561", ["file:///%2525252561", "file:///%25252561", "file:///%252561", "file:///%2561"]],
    ["file:///x/%2e%2e/y", ["file:///x/%2e%2e/y", "file:///x/../y", "file:///y"]],
  ])("%s are %j", (uri, forms) => {
    expect(uriForms(uri)).toEqual(forms);
  });

  it("are taken of 8,192 characters, and none of more", () => {
    const start = "file:///";
    expect(uriForms(start.padEnd(8_192, "a"))).toHaveLength(1);
    expect(uriForms(start.padEnd(8_193, "a"))).toEqual([]);
  });

  it.each([
    ["HTTP://EXAMPLE.com/Path?Q#F", "http://example.com/Path?Q#F"],
    ["HTTP://HOST?Q", "http://host?Q"],
    ["HTTP://HOST#F", "http://host#F"],
    ["HTTP://HOST", "http://host"],
    ["Memo:Shopping", "memo:Shopping"],
    ["no Scheme:X", "no Scheme:X"],
    ["//HOST/P", "//host/P"],
  ])("have scheme and host of %s in lower case, and the rest as it was", (uri, lower) => {
    expect(uriForms(uri)).toEqual([...new Set([uri, lower])]);
  });

  it("restrict by any, allow by all, and an address that was not looked at is restricted by every rule", () => {
    const isA = (text: string) => text === "a";
    expect(matchesForms(["a", "b"], isA, "any")).toBe(true);
    expect(matchesForms(["b"], isA, "any")).toBe(false);
    expect(matchesForms(["a", "b"], isA, "own")).toBe(false);
    expect(matchesForms(["a", "a"], isA, "own")).toBe(true);
    expect(matchesForms([], isA, "any")).toBe(true);
    expect(matchesForms([], isA, "own")).toBe(false);
  });

  it.each([
    ["file:///s/x", "file:/s/x"],
    ["file:///s/x", "file:s/x"],
    ["file:///s/x", "FILE:/s/x"],
    ["file:///s/x", "file:/a/../s/x"],
    ["file:///s/x", "file:/%73/x"],
    ["file:///s/x", "file://localhost/s/x"],
    ["file:///s/x", "file://LOCALHOST/s/x"],
    ["file:///s/x", "file://127.0.0.1/s/x"],
    ["file:///s/x", "file://user@localhost/s/x"],
    ["file://localhost/s/x", "file:///s/x"],
    ["file:/s/x", "file:///s/x"],
    ["http://h/s", "http:/h/s"],
    ["http://h/s", "http:h/s"],
    ["https://h/s", "https:///h/s"],
    ["https://h/s", "https://h./s"],
  ])("%s is restricted as %s too, and not allowed by it", (glob, uri) => {
    const matcher = (reach: "any" | "own") => {
      const globs = globForms(glob, reach);
      return matchesForms(uriForms(uri), (form) => globs.includes(form), reach);
    };
    expect(matcher("any")).toBe(true);
    expect(matcher("own")).toBe(false);
  });
});
