// The text of an env file: NAME=VALUE lines, quotes, comments, and `export` in front as shells have it.

export type EnvFile =
  | { readonly variables: ReadonlyMap<string, string> }
  /** Counted from 1. Only the number, because the line may hold a secret. */
  | { readonly badLine: number };

const ASSIGNMENT = /^(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/s;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

/**
 * Single quotes keep everything, double quotes know `\n`, `\"` and `\\`; without quotes a ` #` starts a comment.
 * Quoted values may go over several lines. The last of two lines for one name wins.
 *
 * @example
 * parseEnvFile('A=1 # one\nB="two words"'); // A → "1", B → "two words"
 */
export function parseEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>();
  const lines = text.split(/\r\n?|\n/);
  for (let at = 0; at < lines.length; at++) {
    const first = at;
    const opening = lines[at]?.trim() ?? "";
    if (opening === "" || opening.startsWith("#")) continue;
    const [start = "", quote] = /^[^=]*=\s*(["'`])/.exec(opening) ?? [];
    const parts = [opening];
    if (quote !== undefined) {
      // Each line is looked at once, however many the value goes over.
      const isClosedBy = createQuoteEnd(quote);
      for (let part = opening.slice(start.length); !isClosedBy(part) && at + 1 < lines.length; ) {
        parts.push(lines[++at] ?? "");
        part = `\n${lines[at]}`;
      }
    }
    const line = parts.join("\n");
    const [, name, value = ""] = ASSIGNMENT.exec(line) ?? [];
    const read = name === undefined ? undefined : readEnvValue(value, quote);
    if (name === undefined || read === undefined) return { badLine: first + 1 };
    variables.set(name, read);
  }
  return { variables };
}

/** Takes what follows the opening quote, part by part: whether the closing one is in this part. */
function createQuoteEnd(quote: string): (part: string) => boolean {
  let isEscaped = false;
  return (part) => {
    for (const character of part) {
      if (isEscaped) isEscaped = false;
      else if (quote === '"' && character === "\\") isEscaped = true;
      else if (character === quote) return true;
    }
    return false;
  };
}

/** Where the quote that opens the text closes; −1 where it does not. */
function endOfQuote(text: string, quote: string): number {
  for (let at = 1; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text[at] === quote) return at;
  }
  return -1;
}

function readEnvValue(value: string, quote: string | undefined): string | undefined {
  if (quote === undefined) return value.replace(/(?:^|\s)#.*$/s, "").trim();
  const end = endOfQuote(value, quote);
  const after = value.slice(end + 1).trim();
  if (end < 0 || (after !== "" && !after.startsWith("#"))) return undefined;
  const inside = value.slice(1, end);
  if (quote !== '"') return inside;
  return inside.replace(/\\(.)/gs, (whole, mark: string) => {
    return ESCAPES.get(mark) ?? (mark === '"' || mark === "\\" ? mark : whole);
  });
}
