// Gives every tool of a catalog one name: pins, then the lock, then wishes that hold the tool's own name unchanged, then
// other free wishes, then numbers (NAME-3).

import type { Tool } from "../catalog/tool.js";
import { toolPositions } from "../catalog/tool-positions.js";
import type { ToolKey } from "../identity/tool-key.js";
import { type CompiledRules, isLegalName } from "../profiles/compile-rules.js";
import type { ProfileLock } from "./lock.js";
import { NameBook } from "./name-book.js";
import type { NamesOnRecord } from "./names-on-record.js";
import { createNumbering } from "./number-names.js";
import type { Why } from "./why.js";

export interface NamedTool {
  readonly name: string;
  readonly tool: Tool;
  readonly why: Why;
}

export interface AssignInput {
  /** In the order in which names are given. */
  readonly tools: readonly Tool[];
  /** The name that the tool at a position should have if nobody else wanted it. */
  readonly fit: (index: number) => NamedTool;
  readonly compiled: CompiledRules;
  /** What names in the lock are held against: they stay when another style would make others. */
  readonly recorded: CompiledRules;
  /** A name in the lock stays with its tool though the rules, which were others once, do not allow it (RULE-7). */
  readonly keepsLocked: boolean;
  readonly lock: ProfileLock | undefined;
  /** The names in the lock are of another style: each is kept for its tool, and none is given out again. */
  readonly isRestyled: boolean;
  readonly pins: ReadonlyMap<string, ToolKey>;
  /** Names that no tool may have but the one whose key is given; else for what they are kept, in words. */
  readonly reserved: ReadonlyMap<string, string>;
  /** Whose canonical name a text is. Nobody else is given it, so that it always leads to that tool (CANON-7). */
  readonly ownerOf: (name: string) => Tool | undefined;
  /** In words, for whom or what a name is kept. */
  readonly describe: (owner: string, name: string) => string;
  /** One text for all names that the client cannot tell apart; `undefined` where it tells all apart. */
  readonly sameAs: ((name: string) => string) | undefined;
  /** Names that other profiles gave, where those must not pass to another tool either. */
  readonly onRecord?: NamesOnRecord | undefined;
}

export interface AssignOutput {
  /** One per tool, in the order of `tools`. */
  readonly named: readonly NamedTool[];
  readonly book: NameBook;
  /** Locked names that the rules no longer allow, so that their tools had to be given others. */
  readonly moved: readonly MovedName[];
  /** Locked names that stay though the rules speak against them. */
  readonly endangered: readonly EndangeredName[];
  readonly refusedPins: readonly { readonly name: string; readonly reason: "illegal" | "taken" }[];
}

/** A name on record that its tool cannot have any more. */
export interface MovedName {
  readonly tool: Tool;
  readonly from: string;
  /** The tool whose canonical name it is now; absent where the rules do not allow it. */
  readonly owner?: Tool;
}

/** A name on record that the rules of today would not give. */
export interface EndangeredName {
  readonly tool: Tool;
  readonly name: string;
  /** Another tool's name on record that the client takes for this one; absent where the rules do not allow this one. */
  readonly meets?: string;
}

/** A tool without a name yet, by its position, and the name that it should have. */
interface Contender {
  readonly index: number;
  readonly fitted: NamedTool;
}

const PINNED: Why = Object.freeze({ kind: "pinned" });
const NOTHING_LOCKED: Pick<AssignOutput, "moved" | "endangered"> = { moved: [], endangered: [] };

export function assignNames(input: AssignInput): AssignOutput {
  const { tools, fit, lock, onRecord } = input;
  const book = new NameBook(input.sameAs, (index) => tools[index]?.key);
  const named: NamedTool[] = new Array(tools.length);
  let refusedPins: AssignOutput["refusedPins"] = [];
  if (input.pins.size > 0) {
    for (const [name, { key }] of lock?.names ?? []) book.keep(name, key);
    for (const [name, owner] of input.reserved) book.keep(name, owner);
    refusedPins = givePinned(input, book, named);
  }
  const { moved, endangered } = lock === undefined ? NOTHING_LOCKED : giveLocked(input, lock, book, named);
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
  for (let index = 0; index < tools.length; index++) {
    if (named[index] !== undefined) continue;
    const fitted = fit(index);
    if (holdsOwnName(fitted)) settle({ index, fitted });
    else rewritten.push({ index, fitted });
  }
  for (const contender of rewritten) settle(contender);

  const numbered = createNumbering(input.compiled, claim);
  for (const { index, fitted } of losers.sort((a, b) => a.index - b.index)) {
    const rival = book.has(fitted.name) ? fitted.name : (book.rivalOf(fitted.name) ?? "");
    const holder = book.indexOf(rival);
    const kept = book.keptFor(rival) ?? onRecord?.ownerOf(fitted.name) ?? "";
    const owner = (holder === undefined ? undefined : tools[holder]) ?? input.ownerOf(fitted.name);
    const takenBy = owner?.canonical ?? input.describe(kept, rival);
    const why: Why = { kind: "numbered", wish: fitted.name, takenBy };
    named[index] = { name: numbered(fitted.name, index), tool: tools[index] as Tool, why };
  }
  return { named, book, moved, endangered, refusedPins };
}

/** Whether the name ends in what the server calls the tool: `files_read_file` for `read_file`, not for `read.file`. */
function holdsOwnName({ name, tool }: NamedTool): boolean {
  return name.endsWith(tool.toolName) || name.endsWith(tool.raw);
}

/** What operators pinned comes before everything else. */
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

/** What the lock remembers comes before any wish. Without pins, names that nobody has now are kept here, too. */
function giveLocked(
  input: AssignInput,
  lock: ProfileLock,
  book: NameBook,
  named: NamedTool[],
): Pick<AssignOutput, "moved" | "endangered"> {
  const { tools, recorded, keepsLocked, fit, pins, reserved, isRestyled } = input;
  const moved: MovedName[] = [];
  const endangered: EndangeredName[] = [];
  const positions = toolPositions(tools);
  for (const [name, { key, retired }] of lock.names) {
    // A former name stays reserved for its tool, but is no longer given out.
    const index = retired === "renamed" || isRestyled ? undefined : positions.get(key);
    const tool = index === undefined ? undefined : tools[index];
    const before = index === undefined ? undefined : named[index];
    const owner = reserved.get(name);
    if (index === undefined || tool === undefined || before?.why === PINNED) {
      if (pins.size === 0) book.keep(name, key);
      continue;
    }
    if (isOthers(name, tool, input)) {
      if (pins.size === 0) book.keep(name, key);
      if (before === undefined) moved.push({ tool, from: name, owner: input.ownerOf(name) as Tool });
      continue;
    }
    const fitted = fit(index);
    // A tool that went on from another one has that one's names, too. The number it was given because its own name was
    // still held for its former self goes; so does a name that is declared to be an old one.
    const isWished = fitted.name === name;
    const isGiven = before === undefined ? owner === undefined || isWished : isWished;
    const isLegal = isLegalName(name, recorded) && recorded.rules.reserved?.includes(name) !== true;
    if (!isGiven || (owner ?? key) !== key || !(isLegal || keepsLocked)) {
      if (pins.size === 0) book.keep(name, key);
      if (before === undefined && owner !== key) moved.push({ tool, from: name });
      continue;
    }
    if (before !== undefined) book.keep(before.name, key);
    const rival = book.rivalOf(name);
    const meets = rival !== undefined && (book.indexOf(rival) ?? index) !== index ? rival : undefined;
    if (!isLegal) endangered.push({ tool, name });
    else if (meets !== undefined) endangered.push({ tool, name, meets });
    book.give(name, index);
    // A name that the tool would have anyway needs no other reason.
    named[index] = isWished ? fitted : { name, tool, why: { kind: "locked", wish: fitted.name } };
  }
  return { moved, endangered };
}

function isOthers(name: string, tool: Tool, { ownerOf }: AssignInput): boolean {
  const owner = ownerOf(name);
  return owner !== undefined && owner !== tool;
}
