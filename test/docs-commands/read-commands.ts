// The commands of the documentation: lines of `sh` blocks, and what is said of `onym` anywhere in code.

export interface DocsCommand {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Without its comment; lines that go on are one. */
  readonly text: string;
}

const FENCE = /^[ >]*(`{3,}|~{3,})\s*(\w*)/;

/** The commands of the `sh` blocks of a page, in order. */
export function readCommands(file: string, page: string): readonly DocsCommand[] {
  return codeLines(page)
    .filter(({ language }) => language === "sh")
    .reduce<DocsCommand[]>((commands, { line, text }) => {
      const last = commands.at(-1);
      if (last?.text.endsWith("\\"))
        commands[commands.length - 1] = { ...last, text: last.text.slice(0, -1) + withoutComment(text) };
      else if (withoutComment(text) !== "") commands.push({ file, line, text: withoutComment(text) });
      return commands;
    }, []);
}

/** `onym …` as it is named in sessions (`$ onym …`), in `sh` blocks and between backticks. */
export function readMentions(file: string, page: string): readonly DocsCommand[] {
  const inBlocks = codeLines(page).filter(({ language, text }) => language === "sh" || /^\s*\$ /.test(text));
  const inText = page
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => ({ line: index + 1, text: code })),
    );
  return [...inBlocks, ...inText].flatMap(({ line, text }) => {
    const [, command] =
      /^\s*(?:\$ )?(?:npx )?(onym (?!listening on$)[a-z]+\b.*)$/.exec(withoutComment(text)) ?? [];
    return command === undefined ? [] : [{ file, line, text: command }];
  });
}

function codeLines(page: string): readonly { language: string; line: number; text: string }[] {
  const found: { language: string; line: number; text: string }[] = [];
  let open: { fence: string; language: string } | undefined;
  for (const [index, text] of page.split("\n").entries()) {
    const [, fence = "", language = ""] = FENCE.exec(text) ?? [];
    if (open === undefined && fence !== "") open = { fence, language };
    else if (open !== undefined && fence.startsWith(open.fence) && language === "") open = undefined;
    else if (open !== undefined) found.push({ language: open.language, line: index + 1, text });
  }
  return found;
}

function withoutComment(text: string): string {
  return text.replace(/(^|\s+)# .*$/, "").trim();
}
