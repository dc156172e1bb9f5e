// Finds secrets in a text in one pass, however many there are: a server writes as much text as it likes, and a key in PEM has
// hundreds of parts and forms (SAFE-4). Only where the next characters begin a secret, by a hash of them, are they compared.

/** Where a secret stands in a text. */
export type Span = readonly [start: number, end: number];

const HASH_FACTOR = 31;
/** Chains for each place, so that most hold none, and bits of the most chains. */
const CHAINS_PER_PLACE = 8;
const MOST_BITS = 16;
const NONE = -1;

/** Texts, by the characters at some places of theirs. */
export class Starts {
  readonly #texts: readonly string[];
  /** How many characters are hashed: no text has fewer at a place. */
  readonly #width: number;
  /** Weight of a character that leaves the window. */
  readonly #leaving: number;
  readonly #shift: number;
  /** By their hash, the first place and those after it. */
  readonly #heads: Int32Array;
  readonly #next: number[] = [];
  /** Of each place: its hash, the text, and the offset in it. */
  readonly #hash: number[] = [];
  readonly #text: number[] = [];
  readonly #offset: number[] = [];

  /** `places`: at every character, or only at the first. */
  constructor(texts: readonly string[], width: number, places: "everywhere" | "first") {
    this.#texts = texts;
    this.#width = width;
    let leaving = 1;
    for (let n = 1; n < width; n += 1) leaving = Math.imul(leaving, HASH_FACTOR);
    this.#leaving = leaving;
    const count = texts.reduce((sum, { length }) => sum + (places === "everywhere" ? length : 1), 1);
    const bits = Math.min(MOST_BITS, Math.ceil(Math.log2(count * CHAINS_PER_PLACE)));
    this.#shift = 32 - bits;
    this.#heads = new Int32Array(1 << bits).fill(NONE);
    // Backwards, so that the first text, and the first place in it, is found first.
    for (let index = texts.length - 1; index >= 0; index -= 1) {
      const text = texts[index] as string;
      const last = places === "everywhere" ? text.length - width : Math.min(0, text.length - width);
      for (let offset = last; offset >= 0; offset -= 1) this.#add(index, offset);
    }
  }

  #add(index: number, offset: number): void {
    const hash = hashAt(this.#texts[index] as string, offset, this.#width);
    const chain = this.#chainOf(hash);
    this.#hash.push(hash);
    this.#next.push(this.#heads[chain] as number);
    this.#text.push(index);
    this.#offset.push(offset);
    this.#heads[chain] = this.#next.length - 1;
  }

  /**
   * Calls back for each place where the text may be the same from `at` on: the secret, and the offset in it. Stops where the
   * callback returns `true`, and then returns that.
   */
  at(text: string, at: number, isFound: (secret: string, offset: number) => boolean): boolean {
    return at + this.#width <= text.length && this.#try(hashAt(text, at, this.#width), isFound);
  }

  /** The same for each character from `from` on. */
  scan(
    text: string,
    from: number,
    isFound: (at: number, secret: string, offset: number) => boolean,
  ): boolean {
    const width = this.#width;
    if (this.#next.length === 0 || from + width > text.length) return false;
    let hash = hashAt(text, from, width);
    for (let at = from; ; at += 1) {
      if (
        this.#heads[this.#chainOf(hash)] !== NONE &&
        this.#try(hash, (secret, offset) => isFound(at, secret, offset))
      )
        return true;
      if (at + width >= text.length) return false;
      const rest = hash - Math.imul(text.charCodeAt(at), this.#leaving);
      hash = (Math.imul(rest, HASH_FACTOR) + text.charCodeAt(at + width)) | 0;
    }
  }

  /** The upper bits are mixed best. */
  #chainOf(hash: number): number {
    return Math.imul(hash, 0x9e37_79b1) >>> this.#shift;
  }

  #try(hash: number, isFound: (secret: string, offset: number) => boolean): boolean {
    for (
      let place = this.#heads[this.#chainOf(hash)] as number;
      place !== NONE;
      place = this.#next[place] as number
    )
      if (
        this.#hash[place] === hash &&
        isFound(this.#texts[this.#text[place] as number] as string, this.#offset[place] as number)
      )
        return true;
    return false;
  }
}

function hashAt(text: string, from: number, width: number): number {
  let hash = 0;
  for (let at = from; at < from + width; at += 1)
    hash = (Math.imul(hash, HASH_FACTOR) + text.charCodeAt(at)) | 0;
  return hash;
}

/** Where the secrets stand in the text, as a whole; those that begin in another may be left out. */
export function findWhole(text: string, starts: Starts): readonly Span[] {
  const found: Span[] = [];
  let end = 0;
  starts.scan(text, 0, (at, secret) => {
    // Within one that was found, only a longer one matters.
    if (at + secret.length <= end || !text.startsWith(secret, at)) return false;
    end = at + secret.length;
    found.push([at, end]);
    return false;
  });
  return found;
}
