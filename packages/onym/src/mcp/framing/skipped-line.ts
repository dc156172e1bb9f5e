// A line that is longer than may be kept: its length, and which request it answers, by its beginning and its end. A response says so
// first or last in the forms that SDKs write, with or without spaces; what else it may be names none.

const KEPT_BYTES = 512;

const RESPONSE_FIRST = /^\{ ?"jsonrpc": ?"2\.0", ?"id": ?([1-9]\d{0,14}), ?"(?:result|error)":/;
/** Before an envelope at the end: requests of the server have ids of their own. */
const RESPONSE_START = /^\{ ?"(?:result|error)":/;
const ENVELOPE_LAST = /, ?"jsonrpc": ?"2\.0", ?"id": ?([1-9]\d{0,14}) ?\}\r?$/;

export class SkippedLine {
  length = 0;
  #head = Buffer.alloc(0);
  #tail = Buffer.alloc(0);

  /** Its next bytes, which are not kept. */
  add(part: Uint8Array): void {
    this.length += part.length;
    const missing = KEPT_BYTES - this.#head.length;
    if (missing > 0) this.#head = Buffer.concat([this.#head, part.subarray(0, missing)]);
    this.#tail = Buffer.concat([this.#tail, part.subarray(-KEPT_BYTES)]).subarray(-KEPT_BYTES);
  }

  /** The number of the request that it answers; `undefined` where it names none. */
  get answeredId(): number | undefined {
    const head = this.#head.toString("latin1");
    const [, id] =
      RESPONSE_FIRST.exec(head) ??
      (RESPONSE_START.test(head) ? ENVELOPE_LAST.exec(this.#tail.toString("latin1")) : null) ??
      [];
    return id === undefined ? undefined : Number(id);
  }
}
