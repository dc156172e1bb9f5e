// The text files below a folder: what a person wrote, not what tools made, and how each may mention a tool.

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readTextFile } from "../../../config/files/read-text-file.js";
import type { TextKind } from "./find-mentions.js";

export interface TextFile {
  readonly path: string;
  readonly text: string;
  readonly kind: TextKind;
}

/** Made by tools, or of others. */
const FOLDERS = new Set([
  ".git",
  ".hg",
  ".svn",
  ".tox",
  ".venv",
  "__pycache__",
  "node_modules",
  "site-packages",
  "target",
  "vendor",
  "venv",
]);

/** Old names stand there for a reason: aliases, names on record, history. */
const KEPT =
  /^(?:onym\.json|onym\.lock|package-lock\.json|.*\.min\.js|.*\.map|(?:changelog|history)(?:\..*)?)$/i;

const PROSE = /\.(?:md|mdx|mdc|markdown|txt|rst|adoc)$/i;
const DATA = /\.(?:json|jsonc|json5|ya?ml|toml|ini|cfg|conf|env|properties|csv|tsv)$/i;

const MAX_BYTES = 1 << 20;
const MAX_FILES = 50_000;

/** A file that is too large, binary or not UTF-8 is passed over, and so is every link. */
export function* readTextFiles(
  folder: string,
  { isSkipped = () => false }: { readonly isSkipped?: (path: string) => boolean } = {},
): Generator<TextFile> {
  let left = MAX_FILES;
  const folders = [folder];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const entries = readdirSync(next, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      const path = join(next, entry.name);
      if (entry.isDirectory() && !FOLDERS.has(entry.name)) folders.push(path);
      if (!entry.isFile() || KEPT.test(entry.name) || isSkipped(path)) continue;
      if (left-- === 0) return;
      const file = readPlainText(path);
      if (file !== undefined) yield file;
    }
  }
}

function readPlainText(path: string): TextFile | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || stats.size > MAX_BYTES) return undefined;
  const read = readTextFile(path);
  if ("reason" in read || read.text.includes("\0")) return undefined;
  return { path, text: read.text, kind: kindOf(path) };
}

export function kindOf(path: string): TextKind {
  return PROSE.test(path) ? "prose" : DATA.test(path) ? "data" : "code";
}
