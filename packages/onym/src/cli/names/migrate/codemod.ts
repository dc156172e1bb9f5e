// Old names below a folder: what would be written, what is for a person to decide, and new names that are there already.

import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import { OnymError } from "../../../model/onym-error.js";
import { findMentions } from "../mentions/find-mentions.js";
import { type FileRewrite, rewriteFile } from "../mentions/rewrite-files.js";
import { readTextFiles } from "../mentions/text-files.js";
import type { NamePairs } from "./name-pairs.js";

export interface Codemod {
  readonly folder: string;
  readonly files: number;
  readonly rewrites: readonly FileRewrite[];
  /** Places where a new name stands before anything is changed: going back would change those as well. */
  readonly present: readonly { readonly path: string; readonly line: number; readonly name: string }[];
}

export function findOldNames(
  { everywhere: names }: Pick<NamePairs, "everywhere">,
  {
    folder,
    skipped,
    cwd,
  }: { readonly folder: string; readonly skipped: readonly string[]; readonly cwd: string },
): Codemod {
  const added = new Set(names.values());
  const kept = new Set(skipped.map((file) => resolve(cwd, file)));
  const rewrites: FileRewrite[] = [];
  const present: { readonly path: string; readonly line: number; readonly name: string }[] = [];
  let files = 0;
  for (const file of filesBelow(resolve(cwd, folder), folder, kept)) {
    files++;
    const rewrite = rewriteFile(file, names);
    if (rewrite !== undefined) rewrites.push(rewrite);
    for (const { token, line, doubt } of findMentions(file.text, {
      kind: file.kind,
      isKnown: (text) => added.has(text) && !names.has(text),
    }))
      if (doubt === undefined) present.push({ path: file.path, line, name: token });
  }
  return { folder, files, rewrites, present };
}

function filesBelow(folder: string, shown: string, kept: ReadonlySet<string>) {
  try {
    return [...readTextFiles(folder, { isSkipped: (path) => kept.has(path) })];
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "unreadable-file",
      `The folder ${quoteText(shown)} cannot be read (${code}).`,
      "Name a folder that exists.",
      { cause: error },
    );
  }
}
