// Whether a raw name already starts with its own integration, whatever the case and the separators (NAME-2).

const SEPARATOR = 1;
const LOWER = 2;
const UPPER = 3;
const DIGIT = 4;

/**
 * How many characters of `toolName` repeat `owner`, following separators included; 0 where it does not, or where
 * nothing would be left.
 *
 * @example
 * ownPrefixLength("GitHub-create_issue", "github"); // 7
 * ownPrefixLength("github_search", "git");          // 0, because "git" ends inside a word
 */
export function ownPrefixLength(toolName: string, owner: string): number {
  let at = 0;
  for (let i = 0; i < owner.length; i++) {
    const wanted = owner.charCodeAt(i);
    if (kindOf(wanted) === SEPARATOR) continue;
    at = skipSeparators(toolName, at);
    if (lower(toolName.charCodeAt(at)) !== lower(wanted)) return 0;
    at++;
  }
  if (at === 0 || !endsWord(toolName, at)) return 0;
  at = skipSeparators(toolName, at);
  return at < toolName.length ? at : 0;
}

function skipSeparators(text: string, start: number): number {
  let at = start;
  while (kindOf(text.charCodeAt(at)) === SEPARATOR) at++;
  return at;
}

function endsWord(text: string, at: number): boolean {
  const next = kindOf(text.charCodeAt(at));
  return next === SEPARATOR || (next === UPPER && kindOf(text.charCodeAt(at - 1)) !== UPPER);
}

/** Past the end of a text (`NaN`) there is no separator. */
function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return LOWER;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  return unit < 0x80 ? SEPARATOR : LOWER;
}

/** ASCII letters without their case; of separators, digits and the end of a text no two become one. */
function lower(unit: number): number {
  return unit < 0x80 ? unit | 0x20 : unit;
}
