// Splits names and texts of any script into words for `find_tools` (GW-11).

const RUN = /[\p{L}\p{N}\p{M}]+/gu;
/** Between `read` and `File`, and between `HTTP` and `Server`. */
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u;
const SPACELESS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
/** No word of any language is longer; a token this long is data. */
const MAX_WORD_LENGTH = 64;

/**
 * Words in order of appearance. camelCase gives its parts and the whole; scripts without spaces give pairs of
 * characters, so that a part of a phrase is found.
 *
 * @example
 * tokenizeText("readFile_v2"); // ["readfile", "read", "file", "v2"]
 */
export function tokenizeText(text: string): readonly string[] {
  const tokens: string[] = [];
  for (const [run] of text.normalize("NFKC").matchAll(RUN)) {
    if (SPACELESS.test(run)) {
      tokens.push(...pairsOf(run.toLowerCase()));
      continue;
    }
    if (run.length > MAX_WORD_LENGTH) continue;
    const humps = run.split(HUMP);
    if (humps.length > 1) tokens.push(run.toLowerCase());
    for (const hump of humps) tokens.push(hump.toLowerCase());
  }
  return tokens;
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  return characters.map((character, at) => character + (characters[at + 1] ?? ""));
}
