// Makes foreign text safe for people to read: characters that are invisible, or change how their neighbours look,
// become `\u{XXXX}` (SAFE-1). For display only; the result is never used as a name or a key.

// Controls, format characters (bidi, zero width, tags, interlinear), lone surrogates, noncharacters, separators,
// characters that fonts draw as nothing (including U+2800, which Unicode classifies as a symbol), and white space
// other than the plain space. A backslash stays, to keep Windows paths readable, unless it would read as one of our
// escapes. So every `\u{` in the result is ours, and two different texts never look the same.
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\p{Noncharacter_Code_Point}\u2800]|(?! )\p{White_Space}|\\(?=u\{)/u;
const UNSAFE_EACH = new RegExp(UNSAFE, "gu");

/**
 * Escapes everything invisible or misleading. Plain text is returned unchanged.
 *
 * @example
 * escapeText("safe\u202Egnp.exe"); // 'safe\\u{202E}gnp.exe'
 */
export function escapeText(text: string): string {
  return UNSAFE.test(text) ? text.replace(UNSAFE_EACH, escapeCharacter) : text;
}

/**
 * The escaped text in double quotes, for messages. If it is longer than `max`, the middle is left out. Quotes
 * inside are escaped too, so foreign text cannot end its own quotation.
 *
 * @example
 * quoteText("get_leads"); // '"get_leads"'
 * quoteText("abcdefghij", 5); // '"ab…ij"'
 */
export function quoteText(text: string, max = 80): string {
  const shown = escapeText(withoutMiddle(text, max)).replaceAll('"', escapeCharacter);
  if (shown.length <= max) return `"${shown}"`;
  const kept = Math.max(0, max - 1);
  const head = shown.slice(0, endOfHead(shown, Math.ceil(kept / 2)));
  const tail = shown.slice(startOfTail(shown, shown.length - Math.floor(kept / 2)));
  return `"${head}…${tail}"`;
}

/** The start of a fix that suggests a similar existing name. */
export function didYouMean(near: string | undefined): string {
  return near === undefined ? "" : `Did you mean ${quoteText(near)}? `;
}

/** Escapes that were made: there are some thousands, and a text may be full of one. */
const escapes = new Map<string, string>();

function escapeCharacter(character: string): string {
  const known = escapes.get(character);
  if (known !== undefined) return known;
  const codePoint = character.codePointAt(0) ?? 0;
  const escaped = `\\u{${codePoint.toString(16).toUpperCase().padStart(4, "0")}}`;
  escapes.set(character, escaped);
  return escaped;
}

/** More than an escape and half a pair, so that what is cut here changes nothing that is shown. */
const MARGIN = 16;

/** What is left out of a quotation is not escaped either: names come in thousands (SAFE-4). Escaping makes no text shorter. */
function withoutMiddle(text: string, max: number): string {
  const kept = max + MARGIN;
  return text.length <= 2 * kept ? text : text.slice(0, kept) + text.slice(-kept);
}

// Never splits an escape or a surrogate pair.

function endOfHead(shown: string, at: number): number {
  return escapeAround(shown, at)?.start ?? (splitsPair(shown, at) ? at - 1 : at);
}

function startOfTail(shown: string, at: number): number {
  return escapeAround(shown, at)?.end ?? (splitsPair(shown, at) ? at + 1 : at);
}

/** The escape that a cut at this offset would split. The longest escape, `\u{10FFFF}`, has ten characters. */
function escapeAround(
  shown: string,
  at: number,
): { readonly start: number; readonly end: number } | undefined {
  const from = Math.max(0, at - 9);
  const start = shown.slice(from, at + 2).lastIndexOf("\\u{") + from;
  if (start < from || start >= at) return undefined;
  const end = shown.indexOf("}", start) + 1;
  return end > at ? { start, end } : undefined;
}

function splitsPair(shown: string, at: number): boolean {
  return /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(shown.slice(at - 1, at + 1));
}
