// Mentions of tools in a text: exact tokens, where a name can stand. What might be one and is left alone is told apart.

/** `prose`: anywhere. `data`: anywhere, too. `code`: inside quotes, because outside of them `user.get` is a member. */
export type TextKind = "prose" | "data" | "code";

export interface Mention {
  /** Where it stands in the text, in UTF-16 units. */
  readonly start: number;
  readonly token: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
  /**
   * `plain-word`: a word of one part, such as `search`, may mean anything. `unquoted`: in code, and in no string of one
   * line.
   */
  readonly doubt?: "plain-word" | "unquoted";
}

/** What names are never made of where they are mentioned. Names with a space are found as a whole string alone. */
const SEPARATORS = /[\s,;()[\]{}"'`<>=|*!?]+/u;

/** A word without the dots and colons that a sentence puts behind it. */
function withoutTail(word: string): string {
  let end = word.length;
  while (end > 0 && (word[end - 1] === "." || word[end - 1] === ":")) end -= 1;
  return word.slice(0, end);
}

/**
 * Every token of a text that `isKnown` knows, in order.
 *
 * @example
 * findMentions('call("user.get")', { kind: "code", isKnown: (token) => token === "user.get" }); // [{ start: 6, … }]
 */
export function findMentions(
  text: string,
  { kind, isKnown }: { readonly kind: TextKind; readonly isKnown: (token: string) => boolean },
): readonly Mention[] {
  const found: Mention[] = [];
  let start = 0;
  text.split("\n").forEach((content, index) => {
    for (const mention of mentionsInLine(content, kind, isKnown))
      found.push({ ...mention, start: start + mention.column - 1, line: index + 1 });
    start += content.length + 1;
  });
  return found;
}

type LineMention = Omit<Mention, "start" | "line">;

function mentionsInLine(
  content: string,
  kind: TextKind,
  isKnown: (token: string) => boolean,
): readonly LineMention[] {
  const quoted = quotedParts(content);
  const strings = quoted.flatMap(({ from, to }): readonly LineMention[] => {
    const token = content.slice(from, to);
    // A whole string is one name, whatever it is made of; one without a separator may still be any other word.
    return SEPARATORS.test(token) && isKnown(token) ? [{ token, column: from + 1 }] : [];
  });
  const isInside = createSpanCheck(quoted);
  const isTaken = createSpanCheck(
    strings.map(({ token, column }) => ({ from: column - 1, to: column - 1 + token.length })),
  );
  return [...strings, ...tokensOf(content, isKnown).filter(({ column }) => !isTaken(column - 1))]
    .sort((a, b) => a.column - b.column)
    .map((mention) => {
      if (SEPARATORS.test(mention.token)) return mention;
      if (isPlainWord(mention.token)) return { ...mention, doubt: "plain-word" as const };
      const isCode = kind === "code" && !isInside(mention.column - 1);
      return isCode ? { ...mention, doubt: "unquoted" as const } : mention;
    });
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** What stands between quotes of one kind on one line. A quote without a second one is an apostrophe. */
function quotedParts(content: string): readonly Span[] {
  const parts: Span[] = [];
  // A kind that was looked for in vain once is not there again, so that the line is read a few times at most.
  const missing = new Set<string>();
  for (let at = 0; at < content.length; at++) {
    const quote = content[at] ?? "";
    if (!/["'`]/.test(quote) || missing.has(quote)) continue;
    const end = closingQuote(content, at + 1, quote);
    if (end === undefined) missing.add(quote);
    else {
      parts.push({ from: at + 1, to: end });
      at = end;
    }
  }
  return parts;
}

function closingQuote(content: string, from: number, quote: string): number | undefined {
  for (let at = from; at < content.length; at++) {
    if (content[at] === quote) return at;
    if (content[at] === "\\" && quote !== "`") at++;
  }
  return undefined;
}

/** Asked for places in rising order. */
function createSpanCheck(spans: readonly Span[]): (at: number) => boolean {
  let next = 0;
  return (at) => {
    while (at >= (spans[next]?.to ?? Number.POSITIVE_INFINITY)) next++;
    return at >= (spans[next]?.from ?? Number.POSITIVE_INFINITY);
  };
}

function tokensOf(content: string, isKnown: (token: string) => boolean): readonly LineMention[] {
  const tokens: LineMention[] = [];
  let at = 0;
  for (const piece of content.split(/([\s,;()[\]{}"'`<>=|*!?]+)/u)) {
    const token = [piece, withoutTail(piece)].find((text) => text !== "" && isKnown(text));
    if (token !== undefined) tokens.push({ token, column: at + 1 });
    at += piece.length;
  }
  return tokens;
}

/** `search` could be anything; `read_file`, `getUser` and `user.get` are names. */
export function isPlainWord(name: string): boolean {
  return /^(?:[A-Z]?[a-z]+|[A-Z]+)$/.test(name);
}

/** The text with each mention replaced; what is doubtful stays. */
export function replaceMentions(
  text: string,
  mentions: readonly Mention[],
  replacementOf: (token: string) => string,
): string {
  let result = "";
  let done = 0;
  for (const { start, token, doubt } of mentions) {
    if (doubt !== undefined) continue;
    result += text.slice(done, start) + replacementOf(token);
    done = start + token.length;
  }
  return result + text.slice(done);
}
