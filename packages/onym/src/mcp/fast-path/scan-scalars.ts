// The smallest parts of JSON in bytes: white space, strings, numbers, words. Each function returns the end
// offset, or -1.

const QUOTE = 34;
const BACKSLASH = 92;

/** The first offset that is no white space; `stop` if that is not before it. */
export function skipSpace(bytes: Uint8Array, start: number, stop = Infinity): number {
  let at = start;
  while (at < stop) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return at;
    at += 1;
  }
  return at;
}

/**
 * The offset after the closing quote of a string, from inside of it, after any whole character. `view` covers the same bytes. Where the string does not end before `stop`: `~at`, the complement of
 * the offset to go on from, which is less than -1.
 */
export function endOfRest(bytes: Uint8Array, view: DataView, start: number, stop: number): number {
  const end = Math.min(bytes.length, stop);
  const lastFour = end - 4;
  let at = start;
  for (;;) {
    // Most of a large message is strings: read four bytes at a time until one of them is special.
    while (at <= lastFour) {
      const meaning = meaningOf(view.getInt32(at, true));
      if (meaning !== 0) {
        at += (31 - Math.clz32(meaning & -meaning)) >> 3;
        break;
      }
      at += 4;
    }
    if (at >= end) return at < bytes.length ? ~at : -1;
    const byte = bytes[at] as number;
    if (byte === BACKSLASH) {
      at = endOfEscape(bytes, at);
      if (at < 0) return -1;
    } else if (byte === QUOTE) return at + 1;
    else if (byte < 32) return -1;
    else at += 1;
  }
}

/**
 * Non-zero if one of four bytes is a quote, a backslash or a control character; the lowest set bit is the
 * highest of the first such byte. (A byte minus one borrows from the next only when it is zero, and then it
 * was found itself.)
 */
function meaningOf(four: number): number {
  const quote = four ^ 0x22222222;
  const backslash = four ^ 0x5c5c5c5c;
  return (
    (((quote - 0x01010101) & ~quote) |
      ((backslash - 0x01010101) & ~backslash) |
      ((four - 0x20202020) & ~four)) &
    0x80808080
  );
}

/** `u` takes four hexadecimal digits. */
function endOfEscape(bytes: Uint8Array, start: number): number {
  switch (bytes[start + 1]) {
    case 34: // "
    case 47: // /
    case 92: // \
    case 98: // b
    case 102: // f
    case 110: // n
    case 114: // r
    case 116: // t
      return start + 2;
    case 117: // u
      for (let at = start + 2; at < start + 6; at += 1) if (!isHexDigit(bytes[at])) return -1;
      return start + 6;
    default:
      return -1;
  }
}

function isHexDigit(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 32;
  return isDigit(byte) || (lower >= 97 && lower <= 102);
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

export function endOfNumber(bytes: Uint8Array, start: number): number {
  const first = bytes[start] === 45 ? start + 1 : start;
  let at = bytes[first] === 48 ? first + 1 : endOfDigits(bytes, first);
  if (at > 0 && bytes[at] === 46) at = endOfDigits(bytes, at + 1);
  if (at > 0 && ((bytes[at] ?? 0) | 32) === 101) {
    const sign = bytes[at + 1];
    at = endOfDigits(bytes, sign === 43 || sign === 45 ? at + 2 : at + 1);
  }
  return at;
}

/** Longer numbers are not scanned, so that none takes long (SAFE-4). */
export const MAX_DIGITS = 65_536;

/** At least one. */
function endOfDigits(bytes: Uint8Array, start: number): number {
  const stop = start + MAX_DIGITS;
  let at = start;
  while (at <= stop && isDigit(bytes[at])) at += 1;
  return at > start && at <= stop ? at : -1;
}

const WORDS = ["true", "false", "null"].map((word) => Buffer.from(word));

export function endOfWord(bytes: Uint8Array, start: number): number {
  const word = WORDS.find((each) => each[0] === bytes[start]);
  if (word === undefined) return -1;
  for (let at = 1; at < word.length; at += 1) if (bytes[start + at] !== word[at]) return -1;
  return start + word.length;
}
