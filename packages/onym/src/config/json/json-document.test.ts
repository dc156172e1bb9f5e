import type { Node } from "jsonc-parser";
import { expect, it } from "vitest";
import { type JsonDocument, nodeOfPath, parseJsonDocument, placeOfPath } from "./json-document.js";

function parse(text: string): JsonDocument {
  const parsed = parseJsonDocument(text, "onym.json", "");
  if (!parsed.ok) throw new Error(parsed.problem.message);
  return parsed.document;
}

it("looks at each member of an object once, however many places are asked for (SAFE-4)", () => {
  const keys = Array.from({ length: 2_000 }, (_, n) => `server-${n}`);
  const document = parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, {}]))));
  let reads = 0;
  const children = new Proxy(document.root.children ?? [], {
    get(list, key, receiver) {
      reads += 1;
      return Reflect.get(list, key, receiver) as unknown;
    },
  });
  const watched = { ...document, root: { ...document.root, children } satisfies Node };
  for (const [index, key] of keys.entries()) {
    expect(nodeOfPath(watched, [key])).toBe(document.root.children?.[index]?.children?.[1]);
    expect(placeOfPath(watched, [key, "missing"]).column).toBeGreaterThan(index);
  }
  expect(reads).toBeLessThan(3 * keys.length);
});

it("takes the first of two equal keys, and finds none where there is no object", () => {
  const document = parse('{"a": 1, "a": [2], "__proto__": {"b": 3}}');
  expect(nodeOfPath(document, ["a"])?.value).toBe(1);
  expect(nodeOfPath(document, ["__proto__", "b"])?.value).toBe(3);
  expect(nodeOfPath(document, ["constructor"])).toBeUndefined();
  expect(nodeOfPath(document, ["a", "b"])).toBeUndefined();
});

it.each([
  ["brackets", (deep: string) => deep, true],
  ["brackets behind a string with a quote in it", (deep: string) => `"\\"" ${deep}`, true],
  ["brackets behind a string without an end", (deep: string) => `"x\n${deep}`, true],
  ["brackets behind comments", (deep: string) => `// x\r/* y */${deep}`, true],
  ["brackets in a string", (deep: string) => `"\\"${deep}"`, false],
  ["brackets in a comment", (deep: string) => `/* ${deep} */ 1 // ${deep}`, false],
])("refuses 257 levels of %s", (_, around, isRefused) => {
  for (const [levels, isTooDeep] of [
    [256, false],
    [257, isRefused],
  ] as const) {
    const parsed = parseJsonDocument(around("[{".repeat(128) + "[".repeat(levels - 256)), "onym.json", "");
    expect(!parsed.ok && parsed.problem.message.includes("nested more than 256")).toBe(isTooDeep);
  }
});
