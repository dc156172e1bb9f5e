// Which tools of a server are shown (GW-13): all, none, those whose raw names match, or all but some.

/**
 * Whether a raw name passes the filters: absent or holding `*` → all, empty → none, else raw names and globs. What `!`
 * stands before is taken out, whatever else lets it in; a list of nothing but such begins with all.
 *
 * @example
 * passesFilters("read_file", ["read_*", "stat"]); // true
 * passesFilters("read_file", ["*", "!read_file"]); // false
 */
export function passesFilters(raw: string, filters: readonly string[] | undefined): boolean {
  if (filters === undefined) return true;
  const matches = (filter: string): boolean => filter === raw || matchesGlob(raw, filter);
  const shown = filters.filter((filter) => !filter.startsWith("!"));
  if (filters.some((filter) => filter.startsWith("!") && matches(filter.slice(1)))) return false;
  return shown.length === 0 ? filters.length > 0 : shown.some(matches);
}

/** Lists of what is shown, in the order they count. The first is Onym's own, the others are those of clients and gateways. */
const SHOWN_KEYS = ["toolFilters", "includeTools", "enabledTools", "enabled_tools"] as const;

/** Lists of what is not. */
const HIDDEN_KEYS = ["disabledTools", "disabled_tools", "excludeTools", "blockedTools"] as const;

/** Every key under which an entry may list tools to show or to hide. */
export const FILTER_KEYS: readonly string[] = [...SHOWN_KEYS, ...HIDDEN_KEYS];

/**
 * The filters of a server entry, in the form of any client: a tool that was hidden there is hidden here.
 * `undefined` where all are shown.
 *
 * @example
 * filtersOf({ command: "x", disabledTools: ["rm"] }); // ["*", "!rm"]
 */
export function filtersOf(entry: object): readonly string[] | undefined {
  const { mode, list } = proxyFilterOf(entry);
  const shown =
    SHOWN_KEYS.map((key) => textsOf(ownValue(entry, key))).find((texts) => texts !== undefined) ??
    (mode === "allow" ? list : undefined);
  const hidden = [
    ...HIDDEN_KEYS.flatMap((key) => textsOf(ownValue(entry, key)) ?? []),
    ...(mode === "allow" ? [] : (list ?? [])),
  ];
  if (hidden.length === 0) return shown;
  return [...new Set([...(shown ?? ["*"]), ...hidden.map((name) => `!${name}`)])];
}

/** mcp-proxy (TBXark) has both in one: `options.toolFilter`, which hides unless it says `allow`. */
export function proxyFilterOf(entry: object): {
  readonly mode: unknown;
  readonly list: readonly string[] | undefined;
} {
  const filter = ownValue(ownValue(entry, "options"), "toolFilter");
  return { mode: ownValue(filter, "mode"), list: textsOf(ownValue(filter, "list")) };
}

function textsOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item: unknown) => typeof item === "string");
}

/** Own keys only: an entry may well hold `constructor`. */
function ownValue(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return Reflect.get(value, key);
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
