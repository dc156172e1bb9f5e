// The lines of a lock after profiles were added: those that it had, and new ones for tools that are named otherwise there.

import type { ToolKey } from "../identity/tool-key.js";
import type { Lock, ProfileLock } from "./lock.js";
import { formatLockLine, LINE_START, type LockedNames, type LockLine } from "./lock-line.js";

/** A lock, and what `formatLock` made of it. */
export interface WrittenLock {
  readonly lock: Lock;
  readonly text: string;
}

/**
 * What follows the profiles in the text of `next`; `undefined` where the change is about more than new profiles. Most of
 * their names are those that most others have, so most lines are compared, and not made again.
 */
export function changeLockLines(
  next: Lock,
  { lock, text }: WrittenLock,
  profiles: readonly string[],
): string | undefined {
  const added = addedNames(next, lock);
  return added === undefined ? undefined : changeLines(text, added, profiles);
}

/** The names of a new profile, taken one by one by lines that are in the same order. */
interface AddedNames {
  readonly id: string;
  /** The name of the tool whose key stands there. */
  readonly take: (text: string, keyAt: number) => string | undefined;
  readonly isDone: () => boolean;
}

/** `undefined` where there is more to it than new profiles. */
function addedNames(next: Lock, before: Lock): readonly AddedNames[] | undefined {
  if (next.tools !== before.tools) return undefined;
  for (const [id, profile] of before.profiles) if (next.profiles.get(id) !== profile) return undefined;
  return [...next.profiles].filter(([id]) => !before.profiles.has(id)).map(readNames);
}

function readNames([id, { names }]: readonly [string, ProfileLock]): AddedNames {
  const entries = names.entries();
  let first = entries.next();
  return {
    id,
    take(text, keyAt) {
      if (first.done === true) return undefined;
      const [name, { key, retired }] = first.value;
      if (retired !== undefined || !text.startsWith(key, keyAt)) return undefined;
      first = entries.next();
      return name;
    },
    isDone: () => first.done === true,
  };
}

const TOOLS = `\n  "tools": [\n`;
const MANY_PIECES = 3_000;
/** In a string there is a backslash before every quote, so this is a member wherever it stands. */
const NAME = ',"name":';

/** `undefined` where names are left: a tool has no line yet, a name is none in force, or the order is another. */
function changeLines(
  text: string,
  added: readonly AddedNames[],
  profiles: readonly string[],
): string | undefined {
  const start = text.indexOf(TOOLS);
  if (start < 0) return undefined;
  const pieces: string[] = [];
  let copied = start + 1;
  let lines = 0;
  let at = start + TOOLS.length;
  while (text.startsWith(LINE_START, at)) {
    const end = text.indexOf("\n", at);
    const names = added.map(({ take }) => take(text, at + LINE_START.length));
    const nameAt = text.indexOf(NAME, at);
    lines += 1;
    if (!names.every((name) => staysSame(text, nameAt < end ? nameAt : -1, name))) {
      const comma = text[end - 1] === "," ? "," : "";
      const given = new Map(added.map(({ id }, index) => [id, names[index]]));
      const line = changeLine(text.slice(at, end - comma.length), profiles, given);
      pieces.push(text.slice(copied, at), line, comma);
      copied = end;
      // Where most lines are others, making them all costs less.
      if (pieces.length > MANY_PIECES && pieces.length > lines) return undefined;
    }
    at = end + 1;
  }
  if (!added.every(({ isDone }) => isDone())) return undefined;
  return [...pieces, text.slice(copied)].join("");
}

/** Whether a line stays as it is when one more profile has this name: it is the one that most share, and no tombstone. */
function staysSame(text: string, nameAt: number, name: string | undefined): boolean {
  if (nameAt < 0 || name === undefined) return nameAt < 0 && name === undefined;
  // Before it stands the digest, and that it is a tombstone where it is one.
  return text[nameAt - 1] === '"' && text.startsWith(JSON.stringify(name), nameAt + NAME.length);
}

function changeLine(
  text: string,
  profiles: readonly string[],
  given: ReadonlyMap<string, string | undefined>,
): string {
  const line: LockLine & { readonly tool: unknown } = JSON.parse(text);
  const others = new Map(Object.entries(line.others ?? {}));
  const current = profiles.map((id) => {
    if (given.has(id)) return given.get(id);
    return others.has(id) ? (others.get(id) ?? undefined) : line.name;
  });
  const retired =
    line.retired === true
      ? profiles.filter((id, position) => !given.has(id) && current[position] !== undefined)
      : (line.retired ?? []);
  const names: LockedNames = { current, former: new Map(Object.entries(line.former ?? {})), retired };
  return formatLockLine(JSON.stringify(line.tool) as ToolKey, line, names, profiles);
}
