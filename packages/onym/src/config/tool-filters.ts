// Which tools of a server are shown (GW-13): all, none, or those whose raw names match.

/**
 * Whether a raw name passes the filters: absent or holding `*` → all, empty → none, else raw names and globs.
 *
 * @example
 * passesFilters("read_file", ["read_*", "stat"]); // true
 */
export function passesFilters(raw: string, filters: readonly string[] | undefined): boolean {
  return filters === undefined || filters.some((filter) => filter === raw || matchesGlob(raw, filter));
}

/**
 * `*` stands for any text, `?` for any one character, and everything else for itself. Never a regular expression,
 * because the text is a stranger's (SAFE-1); at most length × length steps.
 */
export function matchesGlob(text: string, glob: string): boolean {
  const characters = Array.from(text);
  const pattern = Array.from(glob);
  let at = 0;
  let next = 0;
  let star = -1;
  let retry = 0;
  while (at < characters.length) {
    if (pattern[next] === "*") {
      star = next++;
      retry = at;
    } else if (pattern[next] === "?" || (next < pattern.length && pattern[next] === characters[at])) {
      at++;
      next++;
    } else if (star >= 0) {
      next = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[next] === "*") next++;
  return next === pattern.length;
}
