import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createUpdateMatcher } from "./resource-subscriptions.js";
import { buildResourceTable, type ResourceTable } from "./uri-names.js";

interface Owner {
  readonly name: string;
}
const docs: Owner = { name: "docs" };
const files: Owner = { name: "files" };

const table = buildResourceTable<Owner>([
  { key: "docs", owner: docs, resources: ["file:///shared", "note://a/"], templates: ["note://{x}/{y}"] },
  { key: "files", owner: files, resources: ["file:///shared", "disk:///a/b"], templates: ["disk:///{+p}"] },
]);

function matcherIn(resources: ResourceTable<Owner>, owner: Owner, uri: string) {
  return createUpdateMatcher({ owner, uri } as never, { resources } as never);
}

describe("the update of a resource", () => {
  it.each([
    ["under the address that was followed", ["disk:///a/b"], files, "disk:///a/b", "disk:///a/b"],
    [
      "wrapped as it was followed",
      ["onym://docs/file:///shared"],
      docs,
      "file:///shared",
      "onym://docs/file:///shared",
    ],
    [
      "under its own URI inside a followed folder",
      ["disk:///a"],
      files,
      "disk:///a/c/d",
      "onym://files/disk:///a/c/d",
    ],
    ["inside a folder with a closing slash", ["note://a/"], docs, "note://a/x", "onym://docs/note://a/x"],
    [
      "to nobody who follows another server's",
      ["onym://files/file:///shared"],
      docs,
      "file:///shared",
      undefined,
    ],
    ["to nobody who follows a neighbour", ["disk:///a/bc"], files, "disk:///a/b", undefined],
    ["to nobody whose address means two servers", ["file:///shared"], docs, "file:///shared", undefined],
  ])("goes %s", (_, followed, owner, uri, expected) => {
    expect(matcherIn(table, owner, uri)(new Set(followed))).toBe(expected);
  });

  it("goes to whom it went when every followed address was resolved and compared", () => {
    const uris = fc
      .array(fc.constantFrom("a", "b", "", "shared", "%2F"), { maxLength: 5 })
      .chain((parts) =>
        fc.constantFrom("file:///", "note://", "disk:///", "x:").map((start) => start + parts.join("/")),
      );
    const address = fc.oneof(
      uris,
      fc.tuple(fc.constantFrom("docs", "files", "none"), uris).map(([key, uri]) => `onym://${key}/${uri}`),
    );
    fc.assert(
      fc.property(
        fc.array(address, { maxLength: 8 }),
        fc.constantFrom(docs, files),
        uris,
        (all, owner, uri) => {
          const followed = new Set(all);
          const found = matcherIn(table, owner, uri)(followed);
          expect(found !== undefined).toBe(isFollowedByComparing(followed, owner, uri));
        },
      ),
    );
  });

  it("costs as much, however many addresses are followed (SAFE-4)", () => {
    let resolved = 0;
    const counting: ResourceTable<Owner> = {
      ...table,
      resolve: (uri) => {
        resolved += 1;
        return table.resolve(uri);
      },
    };
    const followed = new Set(Array.from({ length: 10_000 }, (_, n) => `disk:///${n}/${"a".repeat(100)}`));
    expect(matcherIn(counting, files, "disk:///10000/b")(followed)).toBeUndefined();
    expect(matcherIn(counting, files, "disk:///7/x")(followed.add("disk:///7"))).toBe(
      "onym://files/disk:///7/x",
    );
    expect(resolved).toBeLessThan(10);
  });
});

function isFollowedByComparing(followed: ReadonlySet<string>, owner: Owner, uri: string): boolean {
  return [...followed].some((address) => {
    const found = table.resolve(address);
    if (found.outcome !== "resolved" || found.owner !== owner) return false;
    return found.uri === uri || uri.startsWith(found.uri.endsWith("/") ? found.uri : `${found.uri}/`);
  });
}
