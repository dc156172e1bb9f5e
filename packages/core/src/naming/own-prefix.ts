// Whether a raw name already starts with its own integration, whatever the case and the separators (NAME-2).

const NONE = 0;
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
  let matched = 0;
  for (let i = 0; i < owner.length; i++) {
    const wanted = owner.charCodeAt(i);
    if (kindOf(wanted) === SEPARATOR) continue;
    while (at < toolName.length && kindOf(toolName.charCodeAt(at)) === SEPARATOR) at++;
    if (at >= toolName.length || lower(toolName.charCodeAt(at)) !== lower(wanted)) return 0;
    at++;
    matched++;
  }
  if (matched === 0 || !endsWord(toolName, at)) return 0;
  while (at < toolName.length && kindOf(toolName.charCodeAt(at)) === SEPARATOR) at++;
  return at < toolName.length ? at : 0;
}

function endsWord(text: string, at: number): boolean {
  const next = at < text.length ? kindOf(text.charCodeAt(at)) : NONE;
  if (next === NONE || next === SEPARATOR) return true;
  return next === UPPER && kindOf(text.charCodeAt(at - 1)) !== UPPER;
}

function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return LOWER;
  if (unit >= 0x41 && unit <= 0x5a) return UPPER;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  return unit < 0x80 ? SEPARATOR : LOWER;
}

function lower(unit: number): number {
  return unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
}
