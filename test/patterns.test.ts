// Every regular expression of the sources takes time in proportion to its input (SAFE-4). `recheck` builds the automaton
// of each one and searches for inputs that need more.

import { check } from "recheck";
import ts from "typescript";
import { expect, it } from "vitest";
import { listFiles, listPackages, readProjectFile } from "./project-files.js";

interface Pattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

it("finds the patterns of the sources, and knows a slow one", async () => {
  expect(patterns.length).toBeGreaterThan(100);
  expect((await check("^[ ]+|[ ]+$", "g")).status).toBe("vulnerable");
});

it("runs no pattern that is not linear (SAFE-4)", async () => {
  const slow: string[] = [];
  for (const { file, line, source, flags } of patterns) {
    // The default is ten seconds, which is not enough on a busy machine.
    const found = await check(source, flags, { timeout: 120_000 });
    const cost = found.status === "vulnerable" ? found.complexity.summary : found.status;
    if (found.status !== "safe") slow.push(`${file}:${line} /${source}/${flags}: ${cost}`);
  }
  expect(slow).toEqual([]);
}, 300_000);

const patterns = listPackages().flatMap((folder) =>
  listFiles(`${folder}/src`, ".ts")
    .filter((file) => !/\.test(-d)?\.ts$/.test(file) && !file.includes("/testing/"))
    .flatMap(patternsIn),
);

function patternsIn(file: string): readonly Pattern[] {
  const source = ts.createSourceFile(file, readProjectFile(file), ts.ScriptTarget.Latest, true);
  const found: Pattern[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf("/");
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ file, line, source: node.text.slice(1, end), flags: node.text.slice(end + 1) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
