// Findings that are known: those of a baseline, and those that a flag says to ignore.

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { quoteText } from "@onym/core";
import { readTextFile } from "../../../config/files/read-text-file.js";
import { matchesGlob } from "../../../config/sections/tool-filters.js";
import { OnymError } from "../../../model/onym-error.js";
import { formatJson } from "../../../output/terminal.js";
import { writeConfig } from "../../setup/write-config.js";
import type { Finding } from "./finding.js";

/** What a finding is, wherever it stands and however it is worded. */
export function findingKey({ code, profile, tool }: Pick<Finding, "code" | "profile" | "tool">): string {
  return JSON.stringify([code, profile, tool]);
}

/** @throws OnymError `unreadable-file` for a file that is no baseline. A file that is missing knows nothing. */
export function loadBaseline(file: string, cwd: string): ReadonlySet<string> {
  const path = resolve(cwd, file);
  if (!existsSync(path)) return new Set();
  const read = readTextFile(path);
  const known = "reason" in read ? undefined : findingsIn(read.text);
  if (known === undefined)
    throw new OnymError(
      "unreadable-file",
      `${quoteText(file)} is no baseline of onym lint.`,
      "Write it anew with --update-baseline.",
    );
  return new Set(known.map(findingKey));
}

export function writeBaseline(file: string, findings: readonly Finding[], cwd: string): void {
  const known = new Map(findings.map((finding) => [findingKey(finding), finding]));
  const lines = [...known.keys()].sort().map((key) => {
    const { code, profile, tool } = known.get(key) as Finding;
    return `    ${formatJson({ code, profile, tool })}`;
  });
  const text = `{\n  "version": 1,\n  "findings": [${lines.length === 0 ? "" : `\n${lines.join(",\n")}\n  `}]\n}\n`;
  writeConfig(resolve(cwd, file), text, { force: true, isSecret: false, orElse: "" });
}

function findingsIn(text: string): readonly Pick<Finding, "code" | "profile" | "tool">[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const list: unknown =
      typeof value === "object" && value !== null ? Reflect.get(value, "findings") : undefined;
    return Array.isArray(list) && list.every(isKnown) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isKnown(value: unknown): value is Pick<Finding, "code" | "profile" | "tool"> {
  return typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
}

/** `CODE`, or `CODE:TOOL` with a glob for the tool: `too-long:admin_*`. */
export function isIgnored({ code, tool }: Finding, ignored: readonly string[]): boolean {
  return ignored.some((rule) => {
    const at = rule.indexOf(":");
    if (at < 0) return rule === code || rule === "*";
    const [wanted, glob] = [rule.slice(0, at), rule.slice(at + 1)];
    return (wanted === code || wanted === "*") && tool !== null && matchesGlob(tool, glob);
  });
}
