import { describe, expect, it } from "vitest";
import { foldText, readAddress } from "./resource-address.js";

describe("a plain address (POL-9)", () => {
  it.each<[string, readonly string[]]>([
    ["file:///a/b", ["file:///a/b"]],
    ["file:///a/b/", ["file:///a/b/", "file:///a/b"]],
    ["file:///", ["file:///", "file://"]],
    ["FILE:///A/.b/..c", ["file:///a/.b/..c"]],
    ["file:///a%20b/%C3%A9", ["file:///a b/é"]],
    ["file:///a#L1", ["file:///a#l1", "file:///a"]],
    ["file:///C:/a", ["file:///c:/a", "file:///a"]],
    ["file://HOST/a", ["file://host/a", "file:///a"]],
    ["http://h", ["http://h"]],
    ["http://h:80/a", ["http://h:80/a", "http://h/a"]],
    ["http://h:81/a", ["http://h:81/a"]],
    ["https://u:p@h/a", ["https://u:p@h/a", "https://h/a"]],
    ["db://h:5432/a", ["db://h:5432/a", "db://h/a"]],
    ["http://h/a?b=c#d", ["http://h/a?b=c#d", "http://h/a?b=c", "http://h/a"]],
    ["http://h/a?u=https%3A%2F%2Fx/y", ["http://h/a?u=https://x/y", "http://h/a"]],
    ["http://[::1]/a", ["http://[::1]/a"]],
    ["http://127.0.0.1/a", ["http://127.0.0.1/a"]],
    ["users://42/profile", ["users://42/profile"]],
    ["notes://", ["notes://"]],
    ["docs:///{+path}", ["docs:///{+path}"]],
    ["db://{table}/rows{?limit}", ["db://{table}/rows{?limit}", "db://{table}/rows{"]],
    ["file:///app/[id]/it's (1), a+b=c & d~.ts", ["file:///app/[id]/it's (1), a+b=c & d~.ts"]],
  ])("%s is read as %j", (uri, forms) => {
    expect(readAddress(uri)).toEqual({ uri, isPlain: true, forms, unclear: [] });
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["memo:Shopping", ["memo:shopping"], ["memo://"]],
    ["memo:/a", ["memo:/a"], ["memo://"]],
    ["file:/a", ["file:/a"], ["file://"]],
    ["urn:isbn:1", ["urn:isbn:1"], ["urn://", "isbn:"]],
    ["data:text/plain;base64,YQ==", ["data:text/plain;base64,yq=="], ["data://"]],
    ["git+https://h/a", ["git+https://h/a"], ["git:", "https:"]],
    ["cache://h/file:/a", ["cache://h/file:/a"], ["file:"]],
  ])("%s is read as %j, and perhaps as something of %j", (uri, forms, unclear) => {
    expect(readAddress(uri)).toEqual({ uri, isPlain: true, forms, unclear });
  });

  it("has at most 8,192 characters", () => {
    const start = "file:///";
    expect(readAddress(start.padEnd(8_192, "a")).isPlain).toBe(true);
    expect(readAddress(start.padEnd(8_193, "a"))).toMatchObject({ isPlain: false, unclear: ["file:"] });
  });
});

describe("an ambiguous address (POL-9)", () => {
  it.each([
    ["dot segments", ["file:///a/../b", "file:///a/./b", "file:///..", "file:///a/.", "file:///%2e%2e/b"]],
    ["segments that Windows shortens", ["file:///a./b", "file:///a /b", "file:///a%20", "file:///a..."]],
    ["empty segments", ["file:///a//b", "file:////a", "file:///a//"]],
    ["backslashes", ["file:///a\\b", "file:///a%5Cb", "file:///a?\\b"]],
    [
      "escapes of separators",
      ["file:///a%2Fb", "file:///a%3Fb", "file:///a%23b", "file:///a%3Ab", "file:///a%40b"],
    ],
    ["escapes of dots and escapes", ["file:///a%2Eb", "file:///%2561", "file:///a?%2561"]],
    ["broken escapes", ["file:///%", "file:///%zz", "file:///%c3", "file:///%c0%ae", "file:///a?%"]],
    [
      "control characters",
      ["file:///a\tb", "file:///a\nb", "file:///a%00b", "file:///a?\0", "file:///a\u0085b"],
    ],
    [
      "characters that nobody sees",
      ["file:///a\u200bb", "file:///a\u00adb", "file:///a%E2%80%8Bb", "file:///a\ufeff"],
    ],
    [
      "halves of pairs, private and unknown characters",
      ["file:///\ud800", "file:///\ue000", "file:///\u0378"],
    ],
    ["spaces at an end", ["file:///a ", "file:/// a", "file:///a?b "]],
    [
      "look-alikes of separators",
      ["file:///a\uff0fb", "file:///\u2025/b", "file:///a\u2215b", "file:///a\u00a5b"],
    ],
    [
      "characters that are expanded",
      ["file:///a*", "file:///a<b", "file:///c|/a", "file:///a;b/c", 'file:///a"b'],
    ],
    [
      "dots after the path",
      ["file:///#/../b", "file:///?/../b", "file:///?/.file://./b", "file:///?a=%2F.."],
    ],
    ["streams and short names", ["file:///a:b", "file:///a::$DATA", "file:///C:a", "file:///PROGRA~1/a"]],
    [
      "files without a path or with a port",
      ["file:a", "file://", "file://host", "file://h:80/a", "file://u@h/a", "file://~/a"],
    ],
  ])("has %s: %j", (_, uris) => {
    for (const uri of uris)
      expect(readAddress(uri), uri).toEqual({ uri, isPlain: false, forms: [], unclear: ["file:"] });
  });

  it.each([
    ["http://h:/a"],
    ["http://h:080/a"],
    ["http://h:x/a"],
    ["http://h:123456/a"],
    ["http://@h/a"],
    ["http://a@b@h/a"],
    ["http://a%40b@h/a"],
    ["http:/h/a"],
    ["http:h/a"],
    ["http:///h/a"],
    ["http://?a"],
    ["http://0x7f.1/a"],
    ["http://127.1/a"],
    ["http://2130706433/a"],
    ["http://0177.0.0.1/a"],
    ["http://[0:0::1]/a"],
    ["http://[::1/a"],
    ["http://h./a"],
    ["http://b\u00fccher.example/a"],
    ["http://xn--bcher-kva.example/a"],
    [`http://${"a".repeat(256)}/a`],
  ])("has another host than it seems: %s", (uri) => {
    expect(readAddress(uri)).toEqual({ uri, isPlain: false, forms: [], unclear: ["http:"] });
  });

  it.each([
    [""],
    ["a/b"],
    ["/a/b"],
    ["//h/a"],
    ["not a uri"],
    [" file:///a"],
    ["\tfile:///a"],
    ["\ufefffile:///a"],
    ["fi\tle:///a"],
    ["%66ile:///a"],
    ["\uff46ile:///a"],
    ["c:/a"],
    ["1x:a"],
    ["{+uri}"],
    ["view-source:file:///a"],
    ["view-source:file:/a/../b"],
    ["view-source:file%3A///a"],
    ["view-source:file%253A///a"],
  ])("has no clear scheme: %j", (uri) => {
    expect(readAddress(uri)).toEqual({ uri, isPlain: false, forms: [], unclear: [""] });
  });
});

describe("an address within another (POL-9)", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["onym://docs/file:///a", ["file:///a"], ["onym:"]],
    ["ONYM://team/onym://dev__my%20docs/file:///a", ["file:///a"], ["onym:"]],
    ["onym://docs/file:///a/../b", [], ["file:", "onym:"]],
    ["onym://docs/../a", [], [""]],
    ["onym://docs//a", [], [""]],
    ["onym://team/onym://docs/a", [], [""]],
    [`${"onym://a/".repeat(16)}file:///a`, ["file:///a"], ["onym:"]],
    [`${"onym://a/".repeat(17)}file:///a`, [], [""]],
    ["onym://a?b/file:///a", [], [""]],
    ["onym:///docs/file:///a", [], [""]],
    ["onym:/docs/file:///a", [], ["onym:", "file:"]],
    ["cache://h/file:///a", [], ["cache:", "file:"]],
    ["cache://file:/a", [], ["cache:", "file:"]],
    ["cache://h/file%3A///a", [], ["cache:", "file:"]],
    ["cache://h/f%2569le%253A/a", [], ["cache:", "file:"]],
    ["cache://h/fi\tle\uff1a/a", [], ["cache:", "le:", "file:"]],
    ["cache://h/file%252525253A/a", [], [""]],
  ])("%s is read as %j, and perhaps as something of %j", (uri, forms, unclear) => {
    expect(readAddress(uri)).toEqual({ uri, isPlain: false, forms, unclear });
  });

  it("is not there where no scheme is: it may be a server's own address, or anything of another Onym", () => {
    expect(readAddress("onym://docs/a")).toMatchObject({ isPlain: true, unclear: [""] });
    expect(readAddress("onym://docs/a").forms).toContain("onym://docs/a");
  });

  it("is not looked for in one that is too long", () => {
    const uri = `cache://h/${"a".repeat(8_192)}/file:///a`;
    expect(readAddress(uri)).toEqual({ uri, isPlain: false, forms: [], unclear: [""] });
  });
});

it.each([
  ["caf\u00c9", "cafe\u0301"],
  ["HOME", "\uff28\uff2f\uff2d\uff25"],
  ["gro\u00df", "GRO\u1e9e"],
  ["\u03a3\u039f\u03a3", "\u03c3\u03bf\u03c2"],
  ["\u212a", "k"],
])("folds %s and %s to the same text", (left, right) => {
  expect(foldText(left)).toBe(foldText(right));
});

it.each([
  ["http", 80],
  ["https", 443],
  ["ws", 80],
  ["wss", 443],
  ["ftp", 21],
])(
  "takes %s at its default port %i for the same without one, and at another port for another",
  (scheme, port) => {
    expect(readAddress(`${scheme}://host:${port}/a`).forms).toEqual([
      `${scheme}://host:${port}/a`,
      `${scheme}://host/a`,
    ]);
    expect(readAddress(`${scheme}://host:${port + 1}/a`).forms).toEqual([`${scheme}://host:${port + 1}/a`]);
  },
);

it.each(["see http://host/a", "1http://host/a"])(
  "finds no scheme behind other text, so that every rule holds: %s",
  (uri) => {
    expect(readAddress(uri)).toMatchObject({ isPlain: false, unclear: [""] });
  },
);
