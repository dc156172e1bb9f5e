// Server-sent events: however the bytes arrive, the events are those that the HTML standard reads from the whole stream.

import assert from "node:assert/strict";
import { createSseReader, type SseEvent } from "../../../packages/onym/src/mcp/framing/sse-reader.js";
import type { FuzzTarget } from "../fuzz-target.js";
import { cut } from "./cut.js";

interface Stream {
  readonly events: readonly SseEvent[];
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

export const events: FuzzTarget = {
  name: "events",
  tokens: [
    ...["data:", "data: ", "event: ", "id: ", "id:\0", "retry: 10", "\n", "\n\n", "\r", "\r\n", "\r\n\r\n"],
    ...[":", ": ping", "\ufeff", "data", "é", "data: {}\n\n"],
  ],
  read: (input) => {
    readStream([input], Number.POSITIVE_INFINITY);
  },
  check: (input, chance) => {
    const pieces = cut(input, chance);
    const whole = readPlainly(input);
    assert.deepEqual(readStream(pieces, 1_000_000), { ...whole, isTooLarge: false });
    // With a small limit, the events up to the first that is too large.
    const frameBytes = 1 + chance.below(64);
    const bounded = readStream(pieces, frameBytes);
    assert.deepEqual(bounded.events, whole.events.slice(0, bounded.events.length));
    if (!bounded.isTooLarge) assert.equal(bounded.events.length, whole.events.length);
    for (const { data } of bounded.events) assert.ok(Buffer.byteLength(data) <= 3 * frameBytes);
  },
};

function readStream(
  pieces: readonly Buffer[],
  frameBytes: number,
): Stream & { readonly isTooLarge: boolean } {
  const found: SseEvent[] = [];
  const reader = createSseReader({ frameBytes, onEvent: (event) => found.push(event) });
  const isTooLarge = pieces.some((piece) => reader.push(piece) !== undefined);
  return { events: found, lastEventId: reader.lastEventId(), retryMs: reader.retryMs(), isTooLarge };
}

/** "Interpreting an event stream", HTML standard 9.2.6, on the whole text. What follows the last line end is no line yet. */
function readPlainly(input: Buffer): Stream {
  const all = input
    .toString("latin1")
    .split(/\r\n|\n|\r/)
    .slice(0, -1)
    .map((line) => Buffer.from(line, "latin1").toString());
  const found: SseEvent[] = [];
  let data: string[] = [];
  let event = "";
  let id: string | undefined;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  for (const [index, each] of all.entries()) {
    const line = index === 0 ? each.replace(/^\ufeff/, "") : each;
    if (line === "") {
      lastEventId = id ?? lastEventId;
      if (data.length > 0) found.push({ event: event || "message", data: data.join("\n") });
      data = [];
      event = "";
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") data.push(value);
    if (field === "event") event = value;
    if (field === "id" && !value.includes("\0")) id = value;
    if (field === "retry" && /^[0-9]{1,9}$/.test(value)) retryMs = Number(value);
  }
  return { events: found, lastEventId, retryMs };
}
