// How a raw name can be recognised in running text: by itself, only beside a hint, or only in quotes.

/**
 * `identifier`: nobody writes it by chance (`read_file`). `word`: an ordinary word (`search`), a reference only when
 * quoted or beside the word tool. `odd`: has spaces or other characters, so its ends show only in quotes.
 */
export type NameKind = "identifier" | "word" | "odd";

export function nameKindOf(name: string): NameKind {
  if (!isWholeWord(name)) return "odd";
  const hasLetter = /\p{L}/u.test(name);
  // SQL and 2024 are words of prose as much as search is.
  const isMarked = /[_\-./\p{N}]/u.test(name) || (/.\p{Lu}/u.test(name) && /\p{Ll}/u.test(name));
  return hasLetter && isMarked ? "identifier" : "word";
}

/** Only word characters, with ends that punctuation cannot be mistaken for. */
function isWholeWord(name: string): boolean {
  if (name === "" || /^[-./]|[-./]$/.test(name)) return false;
  for (let at = 0; at < name.length; ) {
    const length = wordLengthAt(name, at);
    if (length === 0) return false;
    at += length;
  }
  return true;
}

// Scripts written without spaces: `使用read_file工具` mentions read_file, so their letters end a name.
const SPACELESS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}\p{M}]/u;

/** UTF-16 units of the character at this offset when it can continue a name; 0 when it cannot. */
export function wordLengthAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code < 0x80) return isAsciiWord(code) ? 1 : 0;
  if (Number.isNaN(code)) return 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return WORD.test(character) && !SPACELESS.test(character) ? character.length : 0;
}

function isAsciiWord(code: number): boolean {
  const isLetter = (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a;
  // - . / 0…9 and _
  return isLetter || (code >= 0x2d && code <= 0x39) || code === 0x5f;
}
