import { expect, it } from "vitest";
import { buildCatalog } from "../../catalog/build-catalog.js";
import type { ToolSource } from "../../catalog/source.js";
import type { Tool } from "../../catalog/tool.js";
import { shortDigest } from "../../identity/short-digest.js";
import { toolDigest } from "./tool-digest.js";

it("the digest of a tool says toolbox, server and raw name, and nothing else (NAME-2)", () => {
  const digest = (source: ToolSource): string => toolDigest(buildCatalog([source]).tools[0] as Tool);
  const plain = digest({ server: "docs", tools: ["read"] });
  expect(plain).toBe(shortDigest(["", "docs", "read"]));
  expect(digest({ server: "docs", version: 2, alias: "d", tools: [{ name: "read", title: "Read" }] })).toBe(
    plain,
  );
  expect(digest({ toolbox: "dev", server: "docs", tools: ["read"] })).toBe(
    shortDigest(["dev", "docs", "read"]),
  );
  expect(digest({ server: "docs", tools: ["Read"] })).not.toBe(plain);
});
