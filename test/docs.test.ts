// Every `ts` block in the documentation compiles.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { type Block, compileBlocks } from "./compile-blocks.js";
import { listFiles, listPackages, projectRoot, readProjectFile } from "./project-files.js";

const FENCE = /^([ >]*)(`{3,}|~{3,})\s*(\w*)/;

it("compiles every ts block of the README files and the docs", () => {
  const files = [
    "README.md",
    ...listFiles("docs", ".md"),
    ...listPackages().map((folder) => `${folder}/README.md`),
  ].filter((file) => existsSync(projectRoot + file));
  const blocks = files.flatMap((file) => blocksOf(file, readProjectFile(file)));
  console.info(`docs: ${blocks.length} ts blocks in ${files.length} files`);
  expect(compileBlocks(blocks)).toEqual([]);
});

it("links only to files that are there", () => {
  const files = [
    ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
    ...listFiles("docs", ".md"),
    ...listPackages().map((folder) => `${folder}/README.md`),
  ];
  const lost = files.flatMap((file) =>
    linksOf(readProjectFile(file))
      .filter((link) => !existsSync(join(projectRoot, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(lost).toEqual([]);
});

it("names only paths that are there in docs/architecture.md", () => {
  const paths = pathsIn(readProjectFile("docs/architecture.md"));
  expect(paths.length).toBeGreaterThan(100);
  expect(paths.filter((path) => !isThere(path))).toEqual([]);
});

it("finds paths in code and in figures, of files and of folders", () => {
  const text =
    "`cli/{a,b}.ts`, `tools/list`, `policy/`, `@onym/core/naming`\n```text\n x ──▶ audit/y.ts  say z\n```";
  expect(pathsIn(text)).toEqual(["cli/a.ts", "cli/b.ts", "policy/", "audit/y.ts"]);
});

it("finds blocks by their fence, indented ones and long fences too, and other languages not", () => {
  const text = [
    "```ts",
    "a",
    "```",
    "  ````ts title",
    "  b",
    "  ```",
    "  c",
    "  ````",
    "```json",
    "d",
    "```",
  ].join("\n");
  expect(blocksOf("x.md", text)).toEqual([
    { file: "x.md", line: 2, code: "a" },
    { file: "x.md", line: 5, code: "b\n```\nc" },
  ]);
});

it("reports a mistake with file and line, and only there", () => {
  const blocks: readonly Block[] = [
    { file: "x.md", line: 11, code: "const a: number = 1;\nexport const b: string = a;" },
    { file: "y.md", line: 1, code: "const a = await Promise.resolve(1);\nconsole.log(a);" },
    { file: "z.md", line: 5, code: 'import { nothing } from "@onym/nowhere";\nconsole.log(nothing);' },
  ];
  expect(compileBlocks(blocks)).toEqual([
    "x.md:12 Type 'number' is not assignable to type 'string'.",
    expect.stringMatching(/^z\.md:5 Cannot find module '@onym\/nowhere'/),
  ]);
});

/** Paths in code spans and figures: they end in a slash or in the ending of a file. `{a,b}` stands for two paths. */
function pathsIn(text: string): readonly string[] {
  const code = [...text.matchAll(/```text\n(.*?)```|`([^`\n]+)`/gs)].flatMap(([, figure, span]) =>
    (figure ?? span ?? "").split(/[\s,;()](?![^{]*\})/),
  );
  const paths = code.map((word) => word.replace(/[.:]$/, "")).filter((word) => PATH.test(word));
  return paths.flatMap((path) => {
    const [, before = "", names, after = ""] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
    return names === undefined ? [path] : names.split(",").map((name) => before + name + after);
  });
}

const PATH = /^(?!@)[\w.*{},-]+(\/[\w.*{},-]+)*(\/|\.(ts|tsx|mjs|json|md)|\/\{[\w,-]+\})$/;

/** From the project, the sources of a package or a room, as the page says; `*` and words in capitals stand for any name. */
function isThere(path: string): boolean {
  const pattern = path
    .replaceAll(".", "\\.")
    .replaceAll("*", "[^/]+")
    .replaceAll(/\b[A-Z]{3,}\b/g, "[^/]+");
  const search = new RegExp(`(^|/)${pattern}${path.endsWith("/") ? "" : "$"}`);
  return projectFiles.some((file) => search.test(file));
}

const projectFiles = ["packages", "test", "docs", "deploy", "examples", "tools", "bench"]
  .flatMap((folder) => listFiles(folder, "").filter((file) => !file.includes("/dist/")))
  .concat("CHANGELOG.md", "README.md", "CONTRIBUTING.md");

/** Where relative links of a text lead, without the place in the file. */
function linksOf(text: string): readonly string[] {
  const links = [...text.matchAll(/\]\(([^()\s#]+)(?:#[^()\s]*)?\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

function blocksOf(file: string, text: string): readonly Block[] {
  const lines = text.split(/\r?\n/);
  const blocks: Block[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [, indent = "", fence = "", language = ""] = FENCE.exec(lines[i] ?? "") ?? [];
    if (fence === "") continue;
    const rest = lines
      .slice(i + 1)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    const end = rest.findIndex((line) => line.startsWith(fence) && line.slice(fence.length).trim() === "");
    const code = end < 0 ? rest : rest.slice(0, end);
    if (/^(ts|typescript)$/.test(language)) blocks.push({ file, line: i + 2, code: code.join("\n") });
    i += code.length + 1;
  }
  return blocks;
}
