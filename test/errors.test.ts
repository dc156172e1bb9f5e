// docs/errors.md, held against the three maps from codes to exit codes, JSON-RPC errors and HTTP statuses.

import ts from "typescript";
import { describe, expect, it } from "vitest";
import { HTTP_STATUSES, RPC_CODES } from "../packages/onym/src/gateway/failure-codes.js";
import type { OnymErrorCode } from "../packages/onym/src/model/onym-error.js";
import { EXIT_CODES } from "../packages/onym/src/output/show-error.js";
import { listFiles, readProjectFile } from "./project-files.js";

const codes = Object.keys(EXIT_CODES) as OnymErrorCode[];

describe("docs/errors.md", () => {
  const rows = readProjectFile("docs/errors.md")
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .map((line) => line.split("|").map((cell) => cell.trim()));

  it("lists every code once, with what it comes to at each edge", () => {
    expect(rows.map(([, code, , exit, rpc, http]) => [code, exit, rpc, http])).toEqual(
      codes.map((code) => [
        `\`${code}\``,
        String(EXIT_CODES[code]),
        String(RPC_CODES[code]),
        String(HTTP_STATUSES[code]),
      ]),
    );
  });

  it("says of each what happened", () => {
    for (const [, code, what = ""] of rows) expect([code, what.length > 15]).toEqual([code, true]);
  });
});

describe("codes of errors", () => {
  it.each(codes)("%s is raised somewhere", (code) => {
    const raising = listFiles("packages/onym/src", ".ts").filter(
      (file) => !file.endsWith(".test.ts") && !NOT_RAISING.has(file.slice("packages/onym/src/".length)),
    );
    expect(raising.some((file) => readProjectFile(file).includes(`"${code}"`))).toBe(true);
  });
});

describe("what a failure comes to", () => {
  it("is decided by codes, never by looking into a message", () => {
    const files = listFiles("packages/onym/src", ".ts").filter((file) => !file.endsWith(".test.ts"));
    expect(files.flatMap((file) => readingsOf(file, readProjectFile(file)))).toEqual([]);
  });

  it.each([
    'if (reason.includes("not found")) x();',
    'const y = error.message.startsWith("tools/list") ? 1 : 2;',
    "const y = /timeout/.test(failure.message);",
    "const y = failure.hint.match(/timeout/);",
    "const y = /timeout/.exec(problem?.reason);",
    "const y = failure.why.lastIndexOf('missing');",
  ])("is seen: %s", (source) => {
    expect(readingsOf("a.ts", source)).toHaveLength(1);
  });

  it.each([
    'const y = text.includes("x");',
    "const y = codes.includes(error.code);",
    "const y = error.message.replace(/x$/, '');",
  ])("is not seen in: %s", (source) => {
    expect(readingsOf("a.ts", source)).toEqual([]);
  });
});

const MESSAGE = /^(reason|message|hint|problem|why|stderr|cause|stack|failure)$/;
const READS = /^(includes|startsWith|endsWith|match|matchAll|search|indexOf|lastIndexOf)$/;

/** Where a file looks into a text that is for people. Its punctuation may be seen to; what it says may not. */
function readingsOf(file: string, source: string): readonly string[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const isRead = READS.test(name.text) && isMessage(expression);
      const [given] = node.arguments;
      const isTested = /^(test|exec)$/.test(name.text) && given !== undefined && isMessage(given);
      if (isRead || isTested) found.push(`${file}: ${node.getText(tree)}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isMessage(node: ts.Expression): boolean {
  if (ts.isIdentifier(node)) return MESSAGE.test(node.text);
  if (ts.isPropertyAccessExpression(node)) return MESSAGE.test(node.name.text);
  return false;
}

/** The union and the maps name every code. */
const NOT_RAISING: ReadonlySet<string> = new Set([
  "model/onym-error.ts",
  "gateway/failure-codes.ts",
  "output/show-error.ts",
]);
