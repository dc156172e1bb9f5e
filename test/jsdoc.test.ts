// Every `@example` in the sources of the library compiles, and every public function has one.

import ts from "typescript";
import { expect, it } from "vitest";
import { type Block, compileBlocks } from "./compile-blocks.js";
import { listFiles, readProjectFile } from "./project-files.js";

const SOURCE = "packages/core/src/";
/** The entry points whose functions the examples may use. Those of adapters import what they need. */
const ENTRIES = ["", "approvals/", "identity/", "naming/", "profiles/", "resolve/"].map(
  (room) => `${SOURCE}${room}index.ts`,
);
const files = listFiles("packages/core/src", ".ts").filter((file) => !file.endsWith(".test.ts"));

// What the examples take for granted.
const CAST = `import type * as onym from "../${SOURCE}index.ts";
import type * as approvals from "../${SOURCE}approvals/index.ts";
import type * as identity from "../${SOURCE}identity/index.ts";
declare const snapshot: onym.Snapshot, catalog: onym.Catalog, table: onym.NamingTable, tool: onym.Tool;
declare const openai: onym.Profile, mcp: onym.Profile, claudeCode: onym.Profile;
declare const committed: onym.Lock, current: onym.Lock;
declare const key: onym.ToolKey, keys: approvals.ApprovalKeys, record: approvals.DecisionRecord;
declare const callId: identity.CallId, fingerprint: identity.CallFingerprint, text: string;`;

it("compiles every example in the comments", () => {
  const examples = files.flatMap((file) => examplesOf(file));
  console.info(`comments: ${examples.length} examples in ${files.length} files`);
  const blocks = examples.map(({ file, line, code }): Block => {
    const own = exportsOf(file);
    const others = ENTRIES.map((entry) => {
      const names = exportsOf(entry).filter((name) => !own.includes(name));
      return `import { ${names} } from "../${entry.replace(/ts$/, "js")}";`;
    }).join("\n");
    const preamble = `import { ${own} } from "../${file.replace(/ts$/, "js")}";
${others}
${CAST}
export async function example() {
`;
    return { file, line: line - preamble.split("\n").length + 1, code: `${preamble}${code}\n}` };
  });
  expect(compileBlocks(blocks)).toEqual([]);
});

it("finds an example with every public function", () => {
  const shown = files
    .flatMap((file) => examplesOf(file))
    .map(({ code }) => code)
    .join("\n");
  const missing = ENTRIES.flatMap(functionsOf).filter((name) => !new RegExp(`\\b${name}\\b`).test(shown));
  expect(missing).toEqual([]);
});

function examplesOf(file: string): readonly Block[] {
  const text = readProjectFile(file);
  return Array.from(text.matchAll(/^ *\*? ?(?:\/\*\*)? ?@example\b([\s\S]*?)(?=\*\/|^ *\* @)/gm), (match) => {
    const [whole, body = ""] = match;
    const start = (match.index ?? 0) + whole.length - body.length;
    const code = body.replace(/^ *\* ?/gm, "");
    return { file, line: text.slice(0, start).split("\n").length, code };
  });
}

/** What a file exports that is there at run time. */
function exportsOf(file: string): readonly string[] {
  const names: string[] = [];
  const source = ts.createSourceFile(file, readProjectFile(file), ts.ScriptTarget.Latest);
  for (const node of source.statements) {
    if (ts.isExportDeclaration(node) && !node.isTypeOnly && node.exportClause !== undefined) {
      if (!ts.isNamedExports(node.exportClause)) continue;
      names.push(...node.exportClause.elements.filter((e) => !e.isTypeOnly).map((e) => e.name.text));
    }
    if (!ts.canHaveModifiers(node)) continue;
    if (!ts.getModifiers(node)?.some((modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword)) continue;
    if (ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)) names.push(node.name?.text ?? "");
    if (ts.isVariableStatement(node)) {
      names.push(
        ...node.declarationList.declarations.map((d) => (ts.isIdentifier(d.name) ? d.name.text : "")),
      );
    }
  }
  return names.filter((name) => name !== "");
}

function functionsOf(index: string): readonly string[] {
  return exportsOf(index).filter((name) => /^[a-z]/.test(name));
}
