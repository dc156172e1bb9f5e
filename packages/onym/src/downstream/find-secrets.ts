// Finds secrets in a text by hashes alone, in time that depends on the text only: a server writes as much as it likes, and may
// choose a secret, as a token of its own authorization server (SAFE-4). What has the hash of a secret is taken for it: a
// collision hides more, never less. The factor is another one in each process, so that nobody can make collisions on purpose.

import { randomInt } from "node:crypto";

/** Where a secret stands in a text. */
export type Span = readonly [start: number, end: number];

/** Secrets that a text is compared with, on average at each character of it. */
const MAX_COMPARED = 32;

/** 5 modulo 8, so that the powers of it are many. */
const FACTOR = randomInt(2 ** 16, 2 ** 29) * 8 + 5;
const POWERS: number[] = [1];

function powerOf(exponent: number): number {
  for (let next = POWERS.length; next <= exponent; next += 1)
    POWERS.push(Math.imul(POWERS[next - 1] as number, FACTOR));
  return POWERS[exponent] as number;
}

/** By one character after the other. */
function hashOn(hash: number, text: string, at: number): number {
  return (Math.imul(hash, FACTOR) + text.charCodeAt(at) + 1) | 0;
}

/** A text by its hashes: that of any part of it takes one step. */
export class HashedText {
  readonly length: number;
  /** Of the text up to each place in it. */
  readonly #upTo: Int32Array;

  constructor(text: string) {
    this.length = text.length;
    this.#upTo = new Int32Array(text.length + 1);
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = hashOn(hash, text, at);
      this.#upTo[at + 1] = hash;
    }
  }

  hashOf(start: number, end: number): number {
    return ((this.#upTo[end] as number) - Math.imul(this.#upTo[start] as number, powerOf(end - start))) | 0;
  }
}

/** Where nothing is in a table. The hash 0 is kept as 1. */
const EMPTY = 0;
/** The upper bits of a product with it are mixed best. */
const MIX = 0x9e37_79b1;

/** A set of hashes. */
class Hashes {
  #bits = 6;
  #table = new Int32Array(1 << this.#bits);
  #size = 0;

  add(hash: number): void {
    const place = this.#placeOf(hash);
    if (this.#table[place] !== EMPTY) return;
    this.#table[place] = hash || 1;
    this.#size += 1;
    if (this.#size * 2 > this.#table.length) this.#grow();
  }

  has(hash: number): boolean {
    return this.#table[this.#placeOf(hash)] !== EMPTY;
  }

  /** Where it is, or the empty place where it would be. */
  #placeOf(hash: number): number {
    const kept = hash || 1;
    const last = this.#table.length - 1;
    let place = Math.imul(kept, MIX) >>> (32 - this.#bits);
    while (this.#table[place] !== EMPTY && this.#table[place] !== kept) place = (place + 1) & last;
    return place;
  }

  #grow(): void {
    const before = this.#table;
    this.#bits += 1;
    this.#table = new Int32Array(1 << this.#bits);
    for (const hash of before) if (hash !== EMPTY) this.#table[this.#placeOf(hash)] = hash;
  }
}

interface Whole {
  readonly length: number;
  readonly hash: number;
}

/** Secrets that are looked for as a whole. */
export class WholeSecrets {
  /** Characters that all of them have. */
  readonly #width: number;
  /** What they begin with, by its hash, and those that do, the longest first. */
  readonly #starts = new Hashes();
  readonly #byStart = new Map<number, Whole[]>();

  constructor(secrets: readonly string[], width: number) {
    this.#width = width;
    const longestFirst = [...new Set(secrets)].sort((a, b) => b.length - a.length);
    for (const secret of longestFirst) {
      if (secret.length < width) continue;
      const hashed = new HashedText(secret);
      const start = hashed.hashOf(0, width);
      const whole = { length: secret.length, hash: hashed.hashOf(0, secret.length) };
      const others = this.#byStart.get(start);
      if (others === undefined) this.#byStart.set(start, [whole]);
      else others.push(whole);
      this.#starts.add(start);
    }
  }

  /**
   * Where they stand in the text; those that begin and end in another may be left out. `undefined` where so many begin alike
   * that it would take long.
   */
  find(text: string): readonly Span[] | undefined {
    if (this.#byStart.size === 0) return [];
    const hashed = new HashedText(text);
    const found: Span[] = [];
    let end = 0;
    let left = MAX_COMPARED * text.length;
    for (let at = 0; at + this.#width <= text.length; at += 1) {
      const start = hashed.hashOf(at, at + this.#width);
      if (!this.#starts.has(start)) continue;
      for (const { length, hash } of this.#byStart.get(start) ?? []) {
        // Within one that was found, only a longer one matters.
        if (at + length <= end) break;
        left -= 1;
        if (left < 0) return undefined;
        if (at + length > text.length || hashed.hashOf(at, at + length) !== hash) continue;
        end = at + length;
        found.push([at, end]);
        break;
      }
    }
    return found;
  }
}

export interface CutLengths {
  /** Shorter ones are not looked for. */
  readonly shortest: number;
  /** Longer beginnings and ends are not looked for. */
  readonly longest: number;
}

/** Secrets of which a text may have only a part, because the rest was cut off. */
export class CutSecrets {
  readonly #shortest: number;
  readonly #longest: number;
  /** Each part of the shortest length, and those that a secret begins or ends with. */
  readonly #parts = new Hashes();
  readonly #firstParts = new Hashes();
  readonly #lastParts = new Hashes();
  /** The beginnings and ends of all lengths. */
  readonly #beginnings = new Hashes();
  readonly #ends = new Hashes();

  constructor(secrets: readonly string[], { shortest, longest }: CutLengths) {
    this.#shortest = shortest;
    this.#longest = longest;
    for (const secret of secrets) if (secret.length >= shortest) this.#add(new HashedText(secret));
  }

  #add(secret: HashedText): void {
    const { length } = secret;
    const shortest = this.#shortest;
    for (let at = 0; at + shortest <= length; at += 1) this.#parts.add(secret.hashOf(at, at + shortest));
    this.#firstParts.add(secret.hashOf(0, shortest));
    this.#lastParts.add(secret.hashOf(length - shortest, length));
    for (let size = shortest; size <= Math.min(length, this.#longest); size += 1) {
      this.#beginnings.add(secret.hashOf(0, size));
      this.#ends.add(secret.hashOf(length - size, length));
    }
  }

  /** Whether the text begins or ends with a part of a secret. Else it was not cut within one, which takes few steps to see. */
  mayBeIn(text: string): boolean {
    if (text.length < this.#shortest) return false;
    return this.#isPartAt(text, 0) || this.#isPartAt(text, text.length - this.#shortest);
  }

  #isPartAt(text: string, from: number): boolean {
    let hash = 0;
    for (let at = from; at < from + this.#shortest; at += 1) hash = hashOn(hash, text, at);
    return this.#parts.has(hash);
  }

  /** How much of the text is the end of a secret. All of it where it has nothing but parts of secrets. */
  startLength(text: HashedText): number {
    const shortest = this.#shortest;
    if (this.#isParts(text)) return text.length;
    for (let end = Math.min(text.length, this.#longest); end >= shortest; end -= 1)
      if (this.#lastParts.has(text.hashOf(end - shortest, end)) && this.#ends.has(text.hashOf(0, end)))
        return end;
    return 0;
  }

  /** How much of the end of the text is the beginning of a secret. */
  endLength(text: HashedText): number {
    const { length } = text;
    const shortest = this.#shortest;
    for (let at = Math.max(0, length - this.#longest); at + shortest <= length; at += 1)
      if (
        this.#firstParts.has(text.hashOf(at, at + shortest)) &&
        this.#beginnings.has(text.hashOf(at, length))
      )
        return length - at;
    return 0;
  }

  #isParts(text: HashedText): boolean {
    const shortest = this.#shortest;
    if (text.length < shortest) return false;
    for (let at = 0; at + shortest <= text.length; at += 1)
      if (!this.#parts.has(text.hashOf(at, at + shortest))) return false;
    return true;
  }
}
