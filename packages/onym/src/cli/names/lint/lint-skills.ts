// Skills, agents and commands: the tools that their front matter lists and their text mentions, held against the tools there are.

import { resolve } from "node:path";
import { type Profile, quoteText, type Resolution, type Snapshot, sentName } from "@onym/core";
import { nearestText } from "../../../config/json/near-text.js";
import { OnymError } from "../../../model/onym-error.js";
import { findMentions, isPlainWord, type Mention } from "../mentions/find-mentions.js";
import type { FileRewrite } from "../mentions/rewrite-files.js";
import { readTextFiles, type TextFile } from "../mentions/text-files.js";
import type { Finding, LintResult } from "./finding.js";

export interface SkillsInput {
  readonly folder: string;
  readonly cwd: string;
  readonly snapshot: Snapshot;
  /** The client that reads them. */
  readonly client: Profile;
  /** Under what it has registered Onym. */
  readonly as: string;
}

export interface LintedSkills extends LintResult {
  /** What `--fix` writes. */
  readonly rewrites: readonly FileRewrite[];
}

/** Keys of front matter that list tools, in skills, subagents, commands, prompt files and rules of clients. */
const LISTS = /^(allowed-tools|allowedTools|disallowed-tools|disallowedTools|tools)[ \t]*:(.*)$/;

const FILES = /\.(?:md|mdc|markdown)$/i;

/** @throws OnymError `unreadable-file` for a folder that cannot be read. */
export function lintSkills(input: SkillsInput): LintedSkills {
  const names = namesIn(input);
  const findings: Finding[] = [];
  const rewrites: FileRewrite[] = [];
  let files = 0;
  for (const file of filesOf(input)) {
    files++;
    const found = mentionsOf(file, names);
    if (found.length === 0) continue;
    findings.push(...found.map(({ finding }) => finding));
    const fixes = found.flatMap(({ mention, replacement }) =>
      replacement === undefined ? [] : [{ mention, replacement }],
    );
    if (fixes.length > 0) rewrites.push(rewriteOf(file, fixes));
  }
  return { findings, tools: files, rewrites };
}

interface Names {
  /** What the client shows for each tool today. */
  readonly shown: ReadonlySet<string>;
  readonly servers: ReadonlySet<string>;
  readonly resolve: (text: string) => Resolution;
  readonly shownOf: (resolution: Resolution) => string | undefined;
}

function namesIn({ snapshot, client, as }: SkillsInput): Names {
  const table = snapshot.namesFor(client, { as });
  const shown = new Map(table.tools.map(({ name, tool }) => [tool.key, sentName(name, client, as)]));
  const resolver = snapshot.resolverFor(client, { as });
  return {
    shown: new Set(shown.values()),
    servers: new Set([
      as,
      ...snapshot.catalog.servers.map(({ server }) => server.replace(/[^A-Za-z0-9_-]/g, "_")),
    ]),
    resolve: (text) => resolver(text),
    shownOf: (resolution) => (resolution.outcome === "resolved" ? shown.get(resolution.tool.key) : undefined),
  };
}

interface Found {
  readonly mention: Mention;
  readonly finding: Finding;
  readonly replacement?: string | undefined;
}

function mentionsOf(file: TextFile, names: Names): readonly Found[] {
  const listed = listLines(file.text);
  const mentions = findMentions(file.text, { kind: "prose", isKnown: (token) => isNameLike(token) });
  return mentions.flatMap((mention): readonly Found[] => {
    const isListed = listed.has(mention.line);
    const about = { file, mention };
    if (names.shown.has(mention.token)) return [];
    // A tool of the client itself, or a word: what a client shows of a server is never plain.
    if (isPlainWord(mention.token)) return [];
    const resolution = names.resolve(mention.token);
    const shown = names.shownOf(resolution);
    if (shown !== undefined) {
      // In a sentence the name without what the client puts around it is as good.
      const isPublic = resolution.outcome === "resolved" && resolution.step === "public";
      return !isListed && isPublic ? [] : [oldName(about, shown)];
    }
    return mention.token.startsWith("mcp__") ? lost(about, names) : [];
  });
}

/** Lines of the front matter that list tools: on the line of the key, or as items below it. */
function listLines(text: string): ReadonlySet<number> {
  const lines = text.split("\n");
  const found = new Set<number>();
  if (lines[0]?.trim() !== "---") return found;
  let isInside = false;
  for (let at = 1; at < lines.length && lines[at]?.trim() !== "---"; at++) {
    const line = lines[at] ?? "";
    if (LISTS.test(line)) isInside = true;
    else if (!/^[ \t]+\S|^[ \t]*-[ \t]/.test(line)) isInside = false;
    if (isInside) found.add(at + 1);
  }
  return found;
}

/** Words that cannot be a tool's name are not looked up: most of a text is none. */
function isNameLike(token: string): boolean {
  return token.length <= 200 && /^[A-Za-z](?:[\w.:/-]*\w)?$/.test(token);
}

interface About {
  readonly file: TextFile;
  readonly mention: Mention;
}

function oldName({ file, mention }: About, shown: string): Found {
  return {
    mention,
    replacement: shown,
    finding: finding({ file, mention }, "skill-old-name", {
      severity: "warning",
      message: `${quoteText(mention.token)} is shown as ${quoteText(shown)}.`,
      fix: `Write ${quoteText(shown)}; --fix does.`,
    }),
  };
}

/** `mcp__server` and `mcp__server__*` stand for all tools of a server. */
function lost({ file, mention }: About, names: Names): readonly Found[] {
  const { token } = mention;
  const [, server = ""] = token.split("__");
  const isWhole = token.endsWith("__") || token.split("__").length < 3;
  if (!names.servers.has(server)) {
    const near = nearestText(server, [...names.servers]);
    return [
      {
        mention,
        finding: finding({ file, mention }, "skill-unknown-server", {
          severity: "error",
          message: `${quoteText(token)} names the server ${quoteText(server)}, and there is none of that name.`,
          fix: near === undefined ? "Correct it, or take it out." : `Did you mean ${quoteText(near)}?`,
        }),
      },
    ];
  }
  if (isWhole) return [];
  const near = nearestText(token, [...names.shown]);
  return [
    {
      mention,
      finding: finding({ file, mention }, "skill-unknown-tool", {
        severity: "error",
        message: `${quoteText(token)} leads to no tool.`,
        fix: near === undefined ? "Correct it, or take it out." : `Did you mean ${quoteText(near)}?`,
      }),
    },
  ];
}

function finding(
  { file, mention }: About,
  code: string,
  said: Pick<Finding, "severity" | "message" | "fix">,
): Finding {
  const place = { file: file.path, line: mention.line, column: mention.column };
  return { code, ...said, profile: null, tool: mention.token, place };
}

function rewriteOf(
  { path, text }: TextFile,
  fixes: readonly { readonly mention: Mention; readonly replacement: string }[],
): FileRewrite {
  let after = "";
  let done = 0;
  for (const { mention, replacement } of fixes) {
    after += text.slice(done, mention.start) + replacement;
    done = mention.start + mention.token.length;
  }
  return { path, before: text, after: after + text.slice(done), replaced: [], doubtful: [] };
}

function* filesOf({ folder, cwd }: SkillsInput): Generator<TextFile> {
  try {
    for (const file of readTextFiles(resolve(cwd, folder), { isSkipped: (path) => !FILES.test(path) }))
      yield file;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    const hint = "Name a folder with skills, agents or commands.";
    throw new OnymError(
      "unreadable-file",
      `The folder ${quoteText(folder)} cannot be read (${code}).`,
      hint,
      { cause: error },
    );
  }
}
