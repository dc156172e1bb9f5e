// A batch of spans as the bytes that are sent. Outside the heap, and used again: what waits for seconds would be moved about
// by the garbage collector, and new memory costs more than what is written to it.

const FIRST_BYTES = 65_536;

export class SpanBatch {
  /** How many are in it. */
  size = 0;
  /** How often it was sent. */
  tries = 0;
  readonly #start: string;
  readonly #end: string;
  #bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  constructor(start: string, end: string) {
    this.#start = start;
    this.#end = end;
  }

  /** A text of ASCII. */
  add(span: string): void {
    this.#write(this.size === 0 ? this.#start : ",");
    this.#write(span);
    this.size += 1;
  }

  /** The whole, to be sent; it takes no more until it is emptied. */
  seal(): Uint8Array {
    const length = this.#length;
    this.#write(this.#end);
    const whole = this.#bytes.subarray(0, this.#length);
    this.#length = length;
    return whole;
  }

  empty(): void {
    this.size = 0;
    this.tries = 0;
    this.#length = 0;
  }

  #write(text: string): void {
    const needed = this.#length + text.length;
    if (needed > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(grown, 0, 0, this.#length);
      this.#bytes = grown;
    }
    this.#length += this.#bytes.write(text, this.#length, "latin1");
  }
}
