// Ids of traces and spans: random text of hexadecimal digits. Every call takes several, so that they are made many at once.

import { randomBytes } from "node:crypto";

const BYTES_AT_ONCE = 4096;
const TRACE_DIGITS = 32;
const SPAN_DIGITS = 16;

let digits = "";
let used = 0;

export function newTraceId(): string {
  return take(TRACE_DIGITS);
}

export function newSpanId(): string {
  return take(SPAN_DIGITS);
}

function take(count: number): string {
  if (used + count > digits.length) {
    digits = randomBytes(BYTES_AT_ONCE).toString("hex");
    used = 0;
  }
  used += count;
  return digits.slice(used - count, used);
}
