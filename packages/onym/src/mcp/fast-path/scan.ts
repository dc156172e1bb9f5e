// Reads one JSON value in bytes without parsing it, and stops wherever it is told to go on later: no text is so large that scanning
// it holds the event loop (SAFE-4). Accepts what JSON.parse accepts, and nothing else. Without recursion.

import { MAX_DEPTH } from "../json.js";
import { endOfNumber, endOfRest, endOfWord, skipSpace } from "./scan-scalars.js";

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Work in steps: yields between them. */
export type Steps<T> = Generator<undefined, T, undefined>;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Bytes per step: less than a millisecond, whatever they are. */
const STEP_BYTES = 65_536;

/** Values in one text: positions of more are not looked for, whoever sent them. */
export const MAX_SCANNED = 2_500_000;

/** From the first byte of a value to just after its last. */
export interface Member {
  readonly start: number;
  readonly end: number;
  /** How many values it is: itself, and those in it; absent if nobody counted. */
  readonly values?: number | undefined;
  /** For an object that was to be scanned too. */
  readonly members: Members | undefined;
}

export type Members = ReadonlyMap<string, Member>;

/** Messages have five and results a handful; objects with more are parsed as usual. */
const MAX_MEMBERS = 100;
/** Keys that are looked for are words. */
const MAX_KEY_BYTES = 65_536;

// What is expected next.
const VALUE = 0;
/** A value or the end of the list, a key or the end of the object: a container was opened. */
const FIRST = 1;
const KEY = 2;
const AFTER_KEY = 3;
const AFTER_VALUE = 4;
const IN_STRING = 5;
const IN_KEY = 6;

/** Why a value was not scanned to its end. */
export type ScanFailure = "not-json" | "too-deep" | "too-many" | "ambiguous";

export interface ScanOptions {
  /** Where the value begins; 0 if absent. */
  readonly start?: number;
  /** How many levels enclose it; 0 if absent. */
  readonly outer?: number;
  /** Memory for the levels: its length is the maximum depth and one. For those of `MAX_DEPTH` if absent. */
  readonly levels?: Uint8Array;
  /** How many values it may hold. */
  readonly values?: number;
  /** The value is an object whose members are wanted, and those of its members with these keys. */
  readonly inside?: ReadonlySet<string>;
}

/** The members of one object while it is scanned. */
interface Collecting {
  readonly members: Map<string, Member>;
  readonly level: number;
  key: string;
  start: number;
  /** Values that were left at the start. */
  left: number;
}

export class Scan {
  /** The offset after the value; -1 if there is none, and `undefined` as long as there may be. */
  end: number | undefined;
  failure: ScanFailure | undefined;
  /** How many values may follow. */
  left: number;
  private readonly bytes: Buffer;
  private readonly view: DataView;
  private readonly outer: number;
  /** By level: whether the open container is an object. Its length is the maximum depth. */
  private readonly isObject: Uint8Array;
  private readonly inside: ReadonlySet<string> | undefined;
  private readonly collected: Collecting[] = [];
  /** The level whose members are collected; -1 for none. */
  private collectedLevel = -1;
  private at: number;
  private level: number;
  private next = VALUE;
  /** Where the key begins that is being scanned. */
  private keyAt = 0;

  constructor(bytes: Buffer, options: ScanOptions = {}) {
    const { start = 0, outer = 0, values = MAX_SCANNED, inside } = options;
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.outer = outer;
    this.level = outer;
    this.at = start;
    this.left = values;
    this.inside = inside;
    this.isObject = options.levels ?? new Uint8Array(MAX_DEPTH + 1);
  }

  /** The members that were found so far. */
  get members(): Map<string, Member> | undefined {
    return this.collected[0]?.members;
  }

  /** Goes on, at least to this offset if the value is so long. `true`: it is done. */
  run(stop = Infinity): boolean {
    if (this.end !== undefined) return true;
    const { bytes, view, isObject, outer } = this;
    let { at, level, next, left } = this;
    const isLast = stop >= bytes.length;
    for (;;) {
      if (next < IN_STRING) at = skipSpace(bytes, at, stop);
      if (!isLast && at >= stop) break;
      const byte = bytes[at];
      let hasEnded = false;
      if (next === FIRST) {
        if (byte === (isObject[level] === 1 ? CLOSE_OBJECT : CLOSE_LIST)) next = AFTER_VALUE;
        else next = isObject[level] === 1 ? KEY : VALUE;
        continue;
      }
      if (next === VALUE) {
        if (left === 0) return this.fail("too-many");
        if (level === this.collectedLevel) this.beginMember(at, left);
        left -= 1;
        if (level === outer && byte !== OPEN_OBJECT && this.inside !== undefined)
          return this.fail("not-json");
        if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
          if (level + 1 >= isObject.length) return this.fail("too-deep");
          level += 1;
          isObject[level] = byte === OPEN_OBJECT ? 1 : 0;
          if (this.inside !== undefined && byte === OPEN_OBJECT) this.openObject(level);
          at += 1;
          next = FIRST;
          continue;
        }
        if (byte === QUOTE) {
          at += 1;
          next = IN_STRING;
          continue;
        }
        at = byte !== undefined && byte >= 97 ? endOfWord(bytes, at) : endOfNumber(bytes, at);
        if (at < 0) return this.fail("not-json");
        hasEnded = true;
      } else if (next === IN_STRING || next === IN_KEY) {
        const end = endOfRest(bytes, view, at, stop);
        if (end === -1) return this.fail("not-json");
        if (end < 0) {
          at = ~end;
          break;
        }
        at = end;
        if (next === IN_STRING) hasEnded = true;
        else {
          if (level === this.collectedLevel && !this.takeKey(at)) return this.fail("ambiguous");
          next = AFTER_KEY;
        }
      } else if (next === KEY) {
        if (byte !== QUOTE) return this.fail("not-json");
        at += 1;
        this.keyAt = at;
        next = IN_KEY;
      } else if (next === AFTER_KEY) {
        if (byte !== COLON) return this.fail("not-json");
        at += 1;
        next = VALUE;
      } else if (byte === COMMA) {
        at += 1;
        next = isObject[level] === 1 ? KEY : VALUE;
      } else {
        // A value has ended, and with it the container around it.
        if (byte !== (isObject[level] === 1 ? CLOSE_OBJECT : CLOSE_LIST)) return this.fail("not-json");
        at += 1;
        if (level === this.collectedLevel) this.closeObject();
        level -= 1;
        hasEnded = true;
      }
      if (!hasEnded) continue;
      if (level === this.collectedLevel) this.endMember(at, left);
      next = AFTER_VALUE;
      if (level !== outer) continue;
      this.end = at;
      break;
    }
    this.at = at;
    this.level = level;
    this.next = next;
    this.left = left;
    return this.end !== undefined;
  }

  /** The same in steps. Returns the offset after the value; -1 if there is none. */
  *steps(): Steps<number> {
    while (!this.run(this.at + STEP_BYTES)) yield;
    return this.end ?? -1;
  }

  private fail(failure: ScanFailure): true {
    this.end = -1;
    this.failure = failure;
    return true;
  }

  /** The value itself, or one of its members that should be scanned too. */
  private openObject(level: number): void {
    const depth = level - this.outer;
    const around = this.collected[0];
    const isWanted =
      depth === 1 || (depth === 2 && around !== undefined && this.inside?.has(around.key) === true);
    if (!isWanted) return;
    this.collected[depth - 1] = { members: new Map(), level, key: "", start: 0, left: 0 };
    this.collectedLevel = level;
  }

  /** What it has stays: the members of the value itself are the result, the others belong to one of them. */
  private closeObject(): void {
    this.collectedLevel = this.collected.length > 1 ? this.outer + 1 : -1;
  }

  /** `false` if it has escapes, is a duplicate, very long, or one of very many. */
  private takeKey(end: number): boolean {
    if (end - this.keyAt > MAX_KEY_BYTES) return false;
    const open = this.collected[this.collected.length - 1] as Collecting;
    const key = this.bytes.toString("utf8", this.keyAt, end - 1);
    if (key.includes("\\") || open.members.has(key) || open.members.size === MAX_MEMBERS) return false;
    open.key = key;
    return true;
  }

  private beginMember(at: number, left: number): void {
    const open = this.collected[this.collected.length - 1] as Collecting;
    open.start = at;
    open.left = left;
  }

  private endMember(end: number, left: number): void {
    const inner = this.collected.length > 1 && this.collected[1]?.level !== this.collectedLevel;
    const members = inner ? this.collected.pop()?.members : undefined;
    const open = this.collected[this.collected.length - 1] as Collecting;
    open.members.set(open.key, { start: open.start, end, values: open.left - left, members });
  }
}
