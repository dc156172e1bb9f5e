// Blocks of code that stand in texts, compiled as if each were a file of its own, strictly, against the sources.

import ts from "typescript";
import { coreSources } from "../tools/core-sources.mjs";
import { projectRoot } from "./project-files.js";

export interface Block {
  readonly file: string;
  /** Of the block's first line of code, from 1. */
  readonly line: number;
  readonly code: string;
}

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  types: ["node"],
  paths: Object.fromEntries(Object.entries(coreSources()).map(([entry, source]) => [entry, [source]])),
};

/** The mistakes, each with file and line of the text that the block stands in. */
export function compileBlocks(blocks: readonly Block[]): readonly string[] {
  const sources = new Map(blocks.map((block, i) => [`${projectRoot}test/block-${i}.ts`, block]));
  const host = ts.createCompilerHost(OPTIONS);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (path) => sources.has(path) || fileExists(path);
  host.readFile = (path) => sources.get(path)?.code ?? readFile(path);
  host.getSourceFile = (path, ...rest) => {
    const block = sources.get(path);
    const [languageVersion] = rest;
    return block === undefined
      ? getSourceFile(path, ...rest)
      : ts.createSourceFile(path, block.code, languageVersion);
  };
  const program = ts.createProgram([...sources.keys()], OPTIONS, host);
  // Of the blocks alone: what is wrong in a source that they import, `npm run types` tells.
  const found = [...sources.keys()].flatMap((path) =>
    ts.getPreEmitDiagnostics(program, program.getSourceFile(path)),
  );
  return ts.sortAndDeduplicateDiagnostics(found).map((diagnostic) => {
    const text = ts.flattenDiagnosticMessageText(diagnostic.messageText, " ");
    if (diagnostic.file === undefined) return text;
    const { line } = diagnostic.file.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
    const block = sources.get(diagnostic.file.fileName);
    return block === undefined
      ? `${diagnostic.file.fileName.replace(projectRoot, "")}:${line + 1} ${text}`
      : `${block.file}:${block.line + line} ${text}`;
  });
}
