// Globs in rules: `*` stands for any text, `?` for any one character, and everything else for itself, case included.

export type Matcher = (text: string) => boolean;

/**
 * Never a regular expression, because what it is held against is a stranger's (SAFE-1). Pieces between stars are found
 * from the left, each once, so that the work is linear in the text.
 *
 * @example
 * compileGlob("delete_*")("delete_lead"); // true
 */
export function compileGlob(glob: string): Matcher {
  if (glob === "*") return () => true;
  const [head = "", ...middle] = glob.split("*");
  const tail = middle.pop();
  if (!glob.includes("?") && !PAIR.test(glob)) {
    if (tail === undefined) return (text) => text === glob;
    return (text) => matchesPlain(text, head, middle, tail);
  }
  // A character is a code point: half of a surrogate pair is not one.
  const pieces: Pieces = {
    head: Array.from(head),
    middle: middle.map((piece) => Array.from(piece)),
    tail: tail === undefined ? undefined : Array.from(tail),
  };
  return (text) => matchesPieces(PAIR.test(text) ? Array.from(text) : text, pieces);
}

const PAIR = /[\uD800-\uDFFF]/;

function matchesPlain(text: string, head: string, middle: readonly string[], tail: string): boolean {
  const end = text.length - tail.length;
  if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of middle) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}

type Characters = string | readonly string[];

interface Pieces {
  readonly head: readonly string[];
  readonly middle: readonly (readonly string[])[];
  /** Absent where there is no star, so that the head is all. */
  readonly tail: readonly string[] | undefined;
}

function matchesPieces(text: Characters, { head, middle, tail }: Pieces): boolean {
  if (tail === undefined) return text.length === head.length && startsAt(text, 0, head);
  const end = text.length - tail.length;
  if (end < head.length || !startsAt(text, 0, head) || !startsAt(text, end, tail)) return false;
  let at = head.length;
  for (const piece of middle) {
    while (at + piece.length <= end && !startsAt(text, at, piece)) at += 1;
    at += piece.length;
    if (at > end) return false;
  }
  return true;
}

function startsAt(text: Characters, at: number, piece: readonly string[]): boolean {
  for (let offset = 0; offset < piece.length; offset += 1) {
    if (piece[offset] !== "?" && piece[offset] !== text[at + offset]) return false;
  }
  return true;
}
