// Assigns one name to every tool of a catalog: pins, then the lock, then wishes that contain the tool's own name
// unchanged, then other free wishes, then numbers (NAME-3).

import type { Tool } from "../../catalog/tool.js";
import { toolPositionSteps, toolPositions } from "../../catalog/tool-positions.js";
import type { ToolKey } from "../../identity/tool-key.js";
import { eachInSteps, eachPairInSteps, type Steps, sortSteps } from "../../names/steps.js";
import { type CompiledRules, isLegalName } from "../../profiles/fit/compile-rules.js";
import { trimSeparators } from "../../profiles/fit/cut-words.js";
import type { NameRules } from "../../profiles/profile.js";
import type { LockedName, ProfileLock } from "../lock/lock.js";
import type { Why } from "../wish/why.js";
import { NameBook } from "./name-book.js";
import type { NamesOnRecord } from "./names-on-record.js";

export interface NamedTool {
  readonly name: string;
  readonly tool: Tool;
  readonly why: Why;
}

export interface AssignInput {
  /** In the order in which names are assigned. */
  readonly tools: readonly Tool[];
  /** The name that the tool at this position would have without competitors. */
  readonly fit: (index: number) => NamedTool;
  readonly compiled: CompiledRules;
  /** The rules for names in the lock. Locked names stay even if another style would produce different ones. */
  readonly recorded: CompiledRules;
  /**
   * Whether a locked name that the rules do not allow stays with its tool, because they may have changed since it
   * was assigned (RULE-7).
   */
  readonly keepsLocked: (name: string) => boolean;
  readonly lock: ProfileLock | undefined;
  /** The lock's names have another style. Each stays reserved for its tool, and none is assigned again. */
  readonly isRestyled: boolean;
  readonly pins: ReadonlyMap<string, ToolKey>;
  /** Reserved name → the key of the only tool that may have it, or a description of what it is reserved for. */
  readonly reserved: ReadonlyMap<string, string>;
  /**
   * The tool that has this text as its canonical name. No other tool gets it, so it always resolves to that tool
   * (CANON-7).
   */
  readonly ownerOf: (name: string) => Tool | undefined;
  /** Describes what a name is reserved for. */
  readonly describe: (owner: string, name: string) => string;
  /**
   * Maps all names that the client cannot distinguish to the same text; `undefined` if it distinguishes all names.
   */
  readonly sameAs: ((name: string) => string) | undefined;
  /** Names that other profiles assigned, if those must not go to another tool either. */
  readonly onRecord?: NamesOnRecord | undefined;
}

export interface AssignOutput {
  /** One per tool, in the order of `tools`. */
  readonly named: readonly NamedTool[];
  readonly book: NameBook;
  /** Locked names that the rules no longer allow; their tools got other names. */
  readonly moved: readonly MovedName[];
  /** Locked names that stay although the rules do not allow them. */
  readonly endangered: readonly EndangeredName[];
  /** Tools that have each other's names through the lock, one list for each group. */
  readonly swapped: readonly (readonly NamedTool[])[];
  readonly refusedPins: readonly { readonly name: string; readonly reason: "illegal" | "taken" }[];
}

/** A recorded name that its tool can no longer have. */
export interface MovedName {
  readonly tool: Tool;
  readonly from: string;
  /** The tool that has it as its canonical name now; absent if the rules do not allow the name. */
  readonly owner?: Tool;
}

/** A recorded name that today's rules would not assign. */
export interface EndangeredName {
  readonly tool: Tool;
  readonly name: string;
  /**
   * Another tool's recorded name that the client cannot distinguish from this one; absent if the rules do not allow
   * this one.
   */
  readonly meets?: string;
}

/** A tool without a name yet, by position, and the name that it wants. */
interface Contender {
  readonly index: number;
  readonly fitted: NamedTool;
}

const PINNED: Why = Object.freeze({ kind: "pinned" });
type LockOutput = Pick<AssignOutput, "moved" | "endangered" | "swapped">;
const NOTHING_LOCKED: LockOutput = { moved: [], endangered: [], swapped: [] };

export function* assignNames(input: AssignInput): Steps<AssignOutput> {
  const { tools, fit, lock, onRecord } = input;
  const book = new NameBook(input.sameAs, (index) => tools[index]?.key);
  const named: NamedTool[] = new Array(tools.length);
  let refusedPins: AssignOutput["refusedPins"] = [];
  if (input.pins.size > 0) {
    if (lock !== undefined) yield* eachPairInSteps(lock.names, (name, { key }) => book.keep(name, key));
    for (const [name, owner] of input.reserved) book.keep(name, owner);
    refusedPins = givePinned(input, book, named);
  }
  const { moved, endangered, swapped } =
    lock === undefined ? NOTHING_LOCKED : yield* giveLocked(input, lock, book, named);
  if (input.pins.size === 0)
    for (const [name, owner] of input.reserved) if (book.indexOf(name) === undefined) book.keep(name, owner);

  const claim = (name: string, index: number): boolean =>
    onRecord?.allows(name, (tools[index] as Tool).key) !== false &&
    !isOthers(name, tools[index] as Tool, input) &&
    book.claim(name, index);
  const losers: Contender[] = [];
  const rewritten: Contender[] = [];
  const settle = ({ index, fitted }: Contender): void => {
    if (claim(fitted.name, index)) named[index] = fitted;
    else losers.push({ index, fitted });
  };
  yield* eachInSteps(tools, (_, index) => {
    if (named[index] !== undefined) return;
    const fitted = fit(index);
    if (holdsOwnName(fitted)) settle({ index, fitted });
    else rewritten.push({ index, fitted });
  });
  yield* eachInSteps(rewritten, settle);

  const numbered = createNumbering(input.compiled, claim, input.sameAs);
  yield* sortSteps(losers, (a, b) => a.index - b.index);
  yield* eachInSteps(losers, ({ index, fitted }) => {
    const rival = book.has(fitted.name) ? fitted.name : (book.rivalOf(fitted.name) ?? "");
    const holder = book.indexOf(rival);
    const kept = book.keptFor(rival) ?? onRecord?.ownerOf(fitted.name) ?? "";
    const owner = (holder === undefined ? undefined : tools[holder]) ?? input.ownerOf(fitted.name);
    const takenBy = owner?.canonical ?? input.describe(kept, rival);
    const why: Why = { kind: "numbered", wish: fitted.name, takenBy };
    named[index] = { name: numbered(fitted.name, index), tool: tools[index] as Tool, why };
  });
  return { named, book, moved, endangered, swapped, refusedPins };
}

/** Whether the name ends with the tool's raw name: `files_read_file` for `read_file`, not for `read.file`. */
function holdsOwnName({ name, tool }: NamedTool): boolean {
  return name.endsWith(tool.toolName) || name.endsWith(tool.raw);
}

/** Pins take precedence over everything else. */
function givePinned(input: AssignInput, book: NameBook, named: NamedTool[]): AssignOutput["refusedPins"] {
  const { tools, compiled, pins, onRecord } = input;
  const refused: { name: string; reason: "illegal" | "taken" }[] = [];
  const positions = toolPositions(tools);
  for (const [name, key] of pins) {
    const index = positions.get(key);
    if (index === undefined || named[index] !== undefined) continue;
    const rival = book.rivalOf(name);
    const owners = [
      book.keptFor(name),
      rival === undefined ? undefined : (book.keptFor(rival) ?? "another pin"),
    ];
    const isTaken =
      owners.some((owner) => owner !== undefined && owner !== key) ||
      book.indexOf(name) !== undefined ||
      onRecord?.allows(name, key) === false ||
      isOthers(name, tools[index] as Tool, input);
    if (!isLegalName(name, compiled)) refused.push({ name, reason: "illegal" });
    else if (isTaken) refused.push({ name, reason: "taken" });
    else {
      book.give(name, index);
      named[index] = { name, tool: tools[index] as Tool, why: PINNED };
    }
  }
  return refused;
}

/** Locked names take precedence over wishes. Without pins, this also reserves the names of absent tools. */
function* giveLocked(
  input: AssignInput,
  lock: ProfileLock,
  book: NameBook,
  named: NamedTool[],
): Steps<LockOutput> {
  const { tools, recorded, keepsLocked, fit, pins, reserved, isRestyled } = input;
  const moved: MovedName[] = [];
  const endangered: EndangeredName[] = [];
  const positions = yield* toolPositionSteps(tools);
  const give = (name: string, { key, retired }: LockedName): void => {
    // A former name stays reserved for its tool, but is not assigned again.
    const index = retired === "renamed" || isRestyled ? undefined : positions.get(key);
    const tool = index === undefined ? undefined : tools[index];
    const before = index === undefined ? undefined : named[index];
    const owner = reserved.get(name);
    if (index === undefined || tool === undefined || before?.why === PINNED) {
      if (pins.size === 0) book.keep(name, key);
      return;
    }
    if (isOthers(name, tool, input)) {
      if (pins.size === 0) book.keep(name, key);
      if (before === undefined) moved.push({ tool, from: name, owner: input.ownerOf(name) as Tool });
      return;
    }
    const fitted = fit(index);
    // A tool that succeeds another one has that one's names, too. Drop the number it got because its own name was
    // still reserved for its former identity, and any name that is declared to be an old one.
    const isWished = fitted.name === name;
    const isGiven = before === undefined ? owner === undefined || isWished : isWished;
    const isLegal = isLegalName(name, recorded) && recorded.rules.reserved?.includes(name) !== true;
    if (!isGiven || (owner ?? key) !== key || !(isLegal || keepsLocked(name))) {
      if (pins.size === 0) book.keep(name, key);
      if (before === undefined && owner !== key) moved.push({ tool, from: name });
      return;
    }
    if (before !== undefined) book.keep(before.name, key);
    const rival = book.rivalOf(name);
    const meets = rival !== undefined && (book.indexOf(rival) ?? index) !== index ? rival : undefined;
    if (!isLegal) endangered.push({ tool, name });
    else if (meets !== undefined) endangered.push({ tool, name, meets });
    book.give(name, index);
    // If the tool would get this name anyway, keep the simpler reason.
    named[index] = isWished ? fitted : { name, tool, why: { kind: "locked", wish: fitted.name } };
  };
  yield* eachPairInSteps(lock.names, give);
  return { moved, endangered, swapped: findSwaps(named) };
}

/** Tools that have each other's wishes through the lock: two that changed places, or more in a ring. */
function findSwaps(named: readonly NamedTool[]): LockOutput["swapped"] {
  const byWish = new Map<string, NamedTool>();
  for (const each of named) if (each?.why.kind === "locked") byWish.set(each.why.wish, each);
  const swapped: NamedTool[][] = [];
  const seen = new Set<NamedTool>();
  for (const start of byWish.values()) {
    const path: NamedTool[] = [];
    let at: NamedTool | undefined = start;
    for (; at !== undefined && !seen.has(at); at = byWish.get(at.name)) {
      seen.add(at);
      path.push(at);
    }
    if (at !== undefined && path.includes(at)) swapped.push(path.slice(path.indexOf(at)));
  }
  return swapped;
}

function isOthers(name: string, tool: Tool, { ownerOf }: AssignInput): boolean {
  const owner = ownerOf(name);
  return owner !== undefined && owner !== tool;
}

// Numbers for names that are already taken: `_2`, `_3`, … on a stem that is cut to make room (NAME-3).

/**
 * Assigns numbered names. Stems that the client cannot distinguish share a counter, and it never goes back, so tools
 * that fold onto one name take linear time in total.
 */
export function createNumbering(
  compiled: CompiledRules,
  claim: (name: string, index: number) => boolean,
  sameAs: (name: string) => string = (name) => name,
): (wish: string, index: number) => string {
  const { rules, filler } = compiled;
  const next = new Map<string, number>();
  return (wish, index) => {
    for (let digits = 1; ; digits++) {
      const room = rules.maxLength - filler.length - digits;
      const stem = wholeParts(trimSeparators(wish.slice(0, room)), rules);
      const counter = sameAs(stem);
      const limit = 10 ** digits;
      let number = Math.max(next.get(counter) ?? 2, digits === 1 ? 2 : limit / 10);
      for (; number < limit; number++) {
        const name = `${stem}${filler}${number}`;
        if (!claim(name, index)) continue;
        next.set(counter, number + 1);
        return name;
      }
      next.set(counter, number);
    }
  };
}

/** A toolbox name that lost a part is not a toolbox name any more, and must not look like half of one (BOX-8). */
function wholeParts(stem: string, { partSeparator }: NameRules): string {
  if (partSeparator === undefined || stem.split(partSeparator).length === 3) return stem;
  return stem.replaceAll(partSeparator, "_");
}
