// The law of resource addresses: however a caller writes the address of a denied resource, if any reader arrives at that
// resource, the rule denies it. The readers are independent of Onym: they do what servers do with a URI.

import path from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isLong } from "../long-runs.js";
import { policyOf } from "../policy/policy-of.js";

const RUNS = { numRuns: isLong ? 50_000 : 4_000 };
const OWNER = { server: "docs", toolbox: undefined, integration: "docs" };

function effectOf(rules: readonly { readonly effect: "allow" | "deny"; readonly resource: string }[]) {
  const isAllowing = rules.every(({ effect }) => effect === "allow");
  const policy = policyOf({ default: isAllowing ? "deny" : "allow", rules: [...rules] });
  return (uri: string): string =>
    policy.decideItem({ kind: "resource", owner: OWNER, uri }, { principal: "ann" }).effect;
}

/** What a server may take for the path of a URI. Those that cannot read it throw. */
const READERS: readonly ((uri: string) => string)[] = [
  (uri) => new URL(uri).pathname,
  (uri) => decodeURIComponent(new URL(uri).pathname),
  (uri) => decodeURIComponent(decodeURIComponent(new URL(uri).pathname)),
  (uri) => new URL(decodeURIComponent(uri)).pathname,
  (uri) => fileURLToPath(uri),
  (uri) => uri.replace("file://", ""),
  (uri) => uri.replaceAll("file://", ""),
  (uri) => decodeURIComponent(uri.replace("file://", "")),
  (uri) => decodeURIComponent(uri.replace(/^file:(\/\/)?/i, "").split(/[?#]/)[0] ?? ""),
  (uri) => uri.split("://")[1] ?? "",
  (uri) => uri.slice(uri.indexOf(":") + 1),
  (uri) => uri.trim().slice("file://".length).replaceAll("\\", "/"),
];

/**
 * Ends in the protected folder, as a file system without case sees it. A rule is about the scheme it names, so another one,
 * written clearly and with no `file:` in it, is another resource even if a server does not look at it.
 */
function reaches(uri: string, folder: string): boolean {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(uri)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "file" && !/^[^/?#]*[:+]file:/i.test(uri)) return false;
  return READERS.some((read) => {
    try {
      const found = path.posix.normalize(read(uri).split("\0")[0] ?? "").replace(/^\/+/, "/");
      return found.normalize("NFC").toLowerCase().startsWith(folder);
    } catch {
      return false;
    }
  });
}

type Change = (uri: string) => string;

const at = fc.nat({ max: 60 });
const insert =
  (text: string) =>
  (place: number): Change =>
  (uri) =>
    `${uri.slice(0, place % (uri.length + 1))}${text}${uri.slice(place % (uri.length + 1))}`;
const PIECES = [
  "/",
  "//",
  "/.",
  "/./",
  "/x/..",
  "/../",
  "x/../",
  "\\",
  "\\..\\",
  "#",
  "?",
  "#/..",
  "?/..",
  "?q=/../",
  "#/x/../..",
  "file://",
  "file:",
  "view-source:",
  "localhost",
  "u@",
  "u:p@",
  ":",
  ":80",
  ":443",
  ".",
  "..",
  "\t",
  "\n",
  " ",
  "\0",
  "%",
  "%00",
  "%2f",
  "%5c",
  "%2e%2e/",
  "%252e%252e%252f",
  "%23/../",
  ";x",
  "|",
  "*",
  "\u200b",
  "\ufeff",
  "\uff0f",
  "\u0301",
];
const encodeOnce = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join("");

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...PIECES), at).map(([piece, place]) => insert(piece)(place)),
  },
  fc.tuple(at, fc.integer({ min: 1, max: 3 })).map(
    ([place, times]): Change =>
      (uri) => {
        const index = place % Math.max(uri.length, 1);
        let text = uri.slice(index, index + 1);
        if (/[\uD800-\uDFFF]/.test(text)) return uri;
        for (let round = 0; round < times; round += 1)
          text = round === 0 ? encodeOnce(text) : text.replaceAll("%", "%25");
        return `${uri.slice(0, index)}${text}${uri.slice(index + 1)}`;
      },
  ),
  at.map(
    (place): Change =>
      (uri) => {
        const index = place % Math.max(uri.length, 1);
        return `${uri.slice(0, index)}${uri.slice(index, index + 3).toUpperCase()}${uri.slice(index + 3)}`;
      },
  ),
  at.map(
    (place): Change =>
      (uri) =>
        uri.slice(0, place % (uri.length + 1)) + uri.slice((place % (uri.length + 1)) + 1),
  ),
  fc.constantFrom<Change>(
    (uri) => uri.replace("file://", "file://LOCALHOST"),
    (uri) => uri.replace("file:///", "file:/"),
    (uri) => uri.replace("file:///", "file:"),
    (uri) => uri.replace("file:///", "file:///%2f"),
    (uri) => uri.normalize("NFD"),
    (uri) => uri.replaceAll("/", "\\"),
    (uri) => ` ${uri}`,
  ),
);
const changes = fc.array(change, { maxLength: 4 });

const respell = (uri: string, steps: readonly Change[]): string =>
  steps.reduce((text, step) => step(text), uri);

describe("a denied address (POL-9)", () => {
  const decide = effectOf([{ effect: "deny", resource: "file:///home/*" }]);
  const decideAccent = effectOf([{ effect: "deny", resource: "file:///caf\u00e9/*" }]);

  it("is denied however it is written, if any reader arrives at it", () => {
    fc.assert(
      fc.property(changes, (steps) => {
        const uri = respell("file:///home/x", steps);
        if (reaches(uri, "/home/")) expect(decide(uri), JSON.stringify(uri)).toBe("deny");
        const accent = respell("file:///caf\u00e9/x", steps);
        if (reaches(accent, "/caf\u00e9/")) expect(decideAccent(accent), JSON.stringify(accent)).toBe("deny");
      }),
      RUNS,
    );
  });

  it("is denied in whatever addresses of other gateways it is wrapped", () => {
    const key = fc.constantFrom("docs", "team", "dev__docs", "my%20docs");
    const scheme = fc.constantFrom("onym://", "ONYM://", "Onym://");
    const wrappers = fc.array(fc.tuple(scheme, key), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(wrappers, changes, (wrapped, steps) => {
        const inner = respell("file:///home/x", steps);
        if (!reaches(inner, "/home/")) return;
        const uri = wrapped.map(([start, name]) => `${start}${name}/`).join("") + inner;
        expect(decide(uri), JSON.stringify(uri)).toBe("deny");
      }),
      RUNS,
    );
  });

  it("is denied in an address of another scheme that names its own", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("cache://h/", "onym:/docs/", "http://h/a/", "onym://a:b/"),
        at,
        (start, place) => {
          const uri = start + insert("/")(place)("file:///home/x");
          if (/file:/.test(uri)) expect(decide(uri), JSON.stringify(uri)).toBe("deny");
        },
      ),
      RUNS,
    );
  });

  it("leaves others in the same gateway alone", () => {
    expect(decide("onym://team/onym://docs/file:///public/x")).toBe("allow");
    expect(decide("onym://docs/notes://a")).toBe("allow");
  });

  it("is denied on its host however that is written", () => {
    const decideHost = effectOf([{ effect: "deny", resource: "http://127.0.0.1/secret*" }]);
    const hosts = fc.constantFrom(
      "127.0.0.1",
      "127.1",
      "0x7f.1",
      "2130706433",
      "0177.0.0.1",
      "127.0.0.1.",
      "127.0.0.1:",
    );
    fc.assert(
      fc.property(hosts, changes, (host, steps) => {
        const uri = respell(`http://${host}/secret`, steps);
        if (!URL.canParse(uri)) return;
        const { protocol, hostname, port, pathname } = new URL(uri);
        const isThere = protocol === "http:" && hostname.replace(/\.$/, "") === "127.0.0.1" && port === "";
        if (isThere && path.posix.normalize(pathname).startsWith("/secret"))
          expect(decideHost(uri), JSON.stringify(uri)).toBe("deny");
      }),
      RUNS,
    );
  });

  it("is not reached through what is allowed beside it", () => {
    const allow = effectOf([{ effect: "allow", resource: "file:///public/*" }]);
    fc.assert(
      fc.property(changes, changes, (first, second) => {
        const uri = `file:///public/${respell("../home/x", first)}`;
        for (const each of [uri, respell(uri, second)])
          if (reaches(each, "/home/")) expect(allow(each), JSON.stringify(each)).toBe("deny");
      }),
      RUNS,
    );
  });
});
