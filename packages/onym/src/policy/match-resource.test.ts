import { describe, expect, it } from "vitest";
import { compileResourcePatterns } from "./match-resource.js";
import { readAddress } from "./resource-address.js";

const restricts = (glob: string, uri: string) => compileResourcePatterns([glob], "any")(readAddress(uri));
const allows = (glob: string, uri: string) => compileResourcePatterns([glob], "own")(readAddress(uri));

describe("a pattern that restricts (POL-9)", () => {
  it.each([
    ["file:///s/x", "file:///s/x"],
    ["file:///s/x", "file:///S/X"],
    ["file:///S/x", "file:///s/x"],
    ["file:///s/x", "file:///%73/x"],
    ["file:///%73/x", "file:///s/x"],
    ["file:///s/x", "file:///s/x?q#f"],
    ["file:///s/x", "file:///s/x/"],
    ["file:///s/*", "file:///s"],
    ["file:///s/x", "file://localhost/s/x"],
    ["file://localhost/s/x", "file:///s/x"],
    ["file:/s/x", "file:///s/x"],
    ["file:/s/x", "file:/s/x"],
    ["file:///C:/s/*", "file:///s/x"],
    ["file:///s/*", "file:///c:/s/x"],
    ["file:///caf\u00e9/*", "file:///cafe\u0301/x"],
    ["file:///home/*", "file:///\uff28ome/x"],
    ["HTTP://Host:80/s", "http://host/s"],
    ["http://host:80/s", "http://host:80/s"],
    ["https://h/s", "https://user@h:443/s?q"],
    ["db://h/s", "db://h:5432/s"],
    ["notes://s/*", "notes:///s/x"],
    ["notes:///s/*", "notes://s/x"],
    ["*/s/*", "file:///S/x"],
    ["*://h/s", "http://h:80/s"],
    ["gr?\u00dfe:*", "gr\u00f6\u00dfe:a"],
    ["docs:///gro?e", "docs:///gro\u00dfe"],
    ["docs:///{+path}", "docs:///{+path}"],
    ["file:///s/*", "file://s/x"],
    ["file://localhost/s/*", "file://s/x"],
    ["file:///c:/s/*", "file://s/x"],
    ["file:///s/*", "onym://docs/file:///s/x"],
    ["file:///s/*", "onym://team/onym://docs/file:///S/x"],
    ["onym://docs/*", "onym://docs/file:///s/x"],
  ])("%s matches %s itself", (glob, uri) => {
    expect(restricts(glob, uri)).toBe("itself");
  });

  it.each([
    ["file:///s/*", "file:/%2fs/x"],
    ["file:///s/*", "file:///#/../s/x"],
    ["file:///s/*", "file:/x/s/x"],
    ["file:///s/*", "file:s/x"],
    ["file:///s/*", "file:///other/../x"],
    ["FILE:///s/*", "file:///other//x"],
    ["file*", "file:///a//b".replace("file", "FILE")],
    ["f?le:///s", "file:///a//b"],
    ["*/s/x", "notes:a/../b"],
    ["notes://s", "notes:s"],
    ["file:///s/*", " file:///s/x"],
    ["file:///s/*", "no scheme"],
    ["file:///s/*", "onym://docs/readme"],
    ["file:///s/*", "view-source:file:///s/x"],
    ["file:///s/*", "git+file:///s/x"],
    ["http://h/*", "http://h:/s"],
  ])("%s matches %s, because it is ambiguous", (glob, uri) => {
    expect(restricts(glob, uri)).toMatch(/^(itself|ambiguous)$/);
  });

  it.each([
    ["file:///s/*", "file:///sx/a"],
    ["file:///s/*", "notes:///a/../s/x"],
    ["file:///s/*", "notes:s"],
    ["file:///s/*", "files:///a/../b"],
    ["https://h/*", "http://h:/s"],
    ["http://h/*", "http://h:81/s"],
    ["notes:///s/*", "notes:///other/x"],
    ["urn:isbn:1", "urn:isbn:2"],
    ["/s/*", "file:///a/../s/x"],
    ["docs:///%2A", "docs:///anything"],
    ["docs:///secret/*", "docs:///{+path}"],
  ])("%s does not match %s", (glob, uri) => {
    expect(restricts(glob, uri)).toBeUndefined();
  });
});

describe("a pattern that allows (POL-9)", () => {
  it.each([
    ["file:///a/*", "file:///a/b?c", true],
    ["file:///a/*", "file:///A/b", false],
    ["file:///a/*", "FILE:///a/b", false],
    ["file:///a/*", "file:/a/b", false],
    ["file:/a/*", "file:/a/b", true],
    ["file:///a/*", "file:///%61/b", false],
    ["file:///a%20b", "file:///a%20b", true],
    ["file:///a/*", "file:///a/../b", false],
    ["file:///a/*", "file:///a//b", false],
    ["*", "file:///a/../b", true],
    ["file:*", "file:///a/../b", true],
    ["file:///*", "file:///a/../b", true],
    ["file:///*", "file:/../b", false],
    ["notes:*", "file:///a/../b", false],
    ["file:*b", "file:///a/../b", false],
    ["file:///a/../b", "file:///a/../b", true],
    ["onym://docs/*", "onym://docs/readme", true],
    ["onym://docs/*", "onym://docs/../readme", false],
    ["onym://docs/*", "onym://docs//etc/passwd", false],
    ["onym://docs/*", "onym://docs/file:///etc/passwd", false],
    ["onym://docs/*", "onym://other/readme", false],
    ["*", "no scheme", true],
    ["no*", "no scheme", false],
  ])("%s matches %s: %s", (glob, uri, isMatch) => {
    expect(allows(glob, uri)).toBe(isMatch ? "itself" : undefined);
  });
});
