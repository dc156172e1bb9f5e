// Old names in files → new ones: what would change, what is left to a person, and writing it.

import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { escapeText } from "@onym/core";
import { OnymError } from "../../../model/onym-error.js";
import { findMentions, type Mention, replaceMentions } from "./find-mentions.js";
import type { TextFile } from "./text-files.js";

export interface FileRewrite {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly replaced: readonly RewrittenMention[];
  /** Not touched, because they may mean something else. */
  readonly doubtful: readonly RewrittenMention[];
}

interface RewrittenMention {
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
  readonly doubt?: NonNullable<Mention["doubt"]>;
}

/** `undefined` where the file mentions none of the names. */
export function rewriteFile(
  { path, text, kind }: TextFile,
  names: ReadonlyMap<string, string>,
): FileRewrite | undefined {
  const mentions = findMentions(text, { kind, isKnown: (token) => names.has(token) });
  if (mentions.length === 0) return undefined;
  const reported = mentions.map(({ line, column, token, doubt }) => ({
    line,
    column,
    from: token,
    to: names.get(token) ?? token,
    ...(doubt === undefined ? {} : { doubt }),
  }));
  return {
    path,
    before: text,
    after: replaceMentions(text, mentions, (token) => names.get(token) ?? token),
    replaced: reported.filter(({ doubt }) => doubt === undefined),
    doubtful: reported.filter(({ doubt }) => doubt !== undefined),
  };
}

/** Whole or not at all, and only where the file still is what was looked at. */
export function writeRewrite({ path, before, after }: FileRewrite): void {
  if (before === after) return;
  const draft = join(dirname(path), `.onym-${randomUUID().slice(0, 8)}.tmp`);
  try {
    const bytes = readFileSync(path);
    const mark = bytes.subarray(0, 3).toString("hex") === "efbbbf" ? "\uFEFF" : "";
    if (bytes.toString("utf8") !== mark + before)
      throw new OnymError(
        "config-unwritable",
        `${escapeText(path)} was changed meanwhile.`,
        "Run the command again.",
      );
    writeFileSync(draft, mark + after, { flag: "wx", mode: statSync(path).mode });
    renameSync(draft, path);
  } catch (error) {
    if (error instanceof OnymError) throw error;
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "config-unwritable",
      `${escapeText(path)} cannot be written (${code}).`,
      "Files before it were written; the command can be run again.",
      { cause: error },
    );
  } finally {
    rmSync(draft, { force: true });
  }
}
