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
  readonly size: number;
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
    size: names.size,
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
const FEW_LINES = 100;
/** In a string there is a backslash before every quote, so this is a member wherever it stands. */
const NAME = ',"name":';

/** A line of a tool, without its end, and what the new profiles call the tool. */
interface Line {
  readonly at: number;
  readonly end: number;
  readonly names: readonly (string | undefined)[];
}

function changeLines(
  text: string,
  added: readonly AddedNames[],
  profiles: readonly string[],
): string | undefined {
  const start = text.indexOf(TOOLS);
  const changed = start < 0 ? undefined : findChanged(text, start + TOOLS.length, added);
  if (changed === undefined) return undefined;
  const pieces: string[] = [];
  let copied = start + 1;
  for (const { at, end, names } of changed) {
    const given = new Map(added.map(({ id }, index) => [id, names[index]]));
    pieces.push(text.slice(copied, at), changeLine(text.slice(at, end), profiles, given));
    copied = end;
  }
  return [...pieces, text.slice(copied)].join("");
}

/**
 * Lines that do not stay as they are. `undefined` where names are left, because a tool has no line yet, a name is none in
 * force, or the order is another; and where so many lines change that making them all costs less.
 */
function findChanged(text: string, start: number, added: readonly AddedNames[]): readonly Line[] | undefined {
  const changed: Line[] = [];
  const most = Math.max(FEW_LINES, ...added.map(({ size }) => size / 4));
  for (let at = start; text.startsWith(LINE_START, at); ) {
    const newline = text.indexOf("\n", at);
    const names = added.map(({ take }) => take(text, at + LINE_START.length));
    const nameAt = text.indexOf(NAME, at);
    const end = text[newline - 1] === "," ? newline - 1 : newline;
    if (!names.every((name) => staysSame(text, nameAt < end ? nameAt : -1, name)))
      changed.push({ at, end, names });
    if (changed.length > most) return undefined;
    at = newline + 1;
  }
  return added.every(({ isDone }) => isDone()) ? changed : undefined;
}

/** Whether a line stays as it is when one more profile has this name: it is the one that most share, and no tombstone. */
function staysSame(text: string, nameAt: number, name: string | undefined): boolean {
  if (nameAt < 0 || name === undefined) return nameAt < 0 && name === undefined;
  // Before it stands the digest; else a successor, or that it is a tombstone, and such a line is made again.
  return text[nameAt - 1] === '"' && text.startsWith(JSON.stringify(name), nameAt + NAME.length);
}

function changeLine(
  text: string,
  profiles: readonly string[],
  given: ReadonlyMap<string, string | undefined>,
): string {
  const line: LockLine & { readonly tool: unknown } = JSON.parse(text);
  const { canonical, digest, successor } = line;
  const known = {
    canonical,
    digest,
    ...(successor === undefined ? {} : { successor: JSON.stringify(successor) as ToolKey }),
  };
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
  return formatLockLine(JSON.stringify(line.tool) as ToolKey, known, names, profiles);
}
