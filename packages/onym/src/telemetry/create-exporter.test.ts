import { describe, expect, it } from "vitest";
import { formatAttributes, showText } from "./attributes-text.js";
import { BATCH_END, formatBatchStart, formatSpan, SpanBatch } from "./create-exporter.js";
import { Span } from "./span.js";
import { formatMoment, traceMoment } from "./trace-clock.js";

const root = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: undefined,
  isSampled: true,
  state: undefined,
};
const source = { resource: formatAttributes({ "service.name": "onym" }), version: "1.0.0" };
const textOf = (spans: readonly Span[]) => {
  const batch = new SpanBatch(formatBatchStart(source), BATCH_END);
  for (const span of spans) batch.add(formatSpan(span));
  return Buffer.from(batch.seal()).toString();
};
const spansIn = (spans: readonly Span[]) => JSON.parse(textOf(spans)).resourceSpans[0].scopeSpans[0].spans;

describe("spans as OTLP", () => {
  it("are a tree with names, kinds, moments, attributes and status", () => {
    const ended: Span[] = [];
    const server = new Span("server", "tools/call a", { ...root, state: "x=1" }, (span) => ended.push(span));
    const client = server.child("client", "tools/call b");
    client.set("count", 3);
    client.isError = true;
    client.end();
    server.add(formatAttributes({ a: 'q"\\', none: undefined, b: 2 }));
    server.set("own", "text");
    server.end();
    const [first, second] = spansIn(ended);
    expect(first).toMatchObject({
      traceId: root.traceId,
      parentSpanId: server.spanId,
      spanId: client.spanId,
      traceState: "x=1",
      name: "tools/call b",
      kind: 3,
      attributes: [{ key: "count", value: { intValue: "3" } }],
      status: { code: 2 },
    });
    expect(second).toEqual({
      traceId: root.traceId,
      spanId: server.spanId,
      traceState: "x=1",
      name: "tools/call a",
      kind: 2,
      startTimeUnixNano: formatMoment(server.startedAt),
      endTimeUnixNano: formatMoment(server.endedAt),
      attributes: [
        { key: "a", value: { stringValue: 'q"\\' } },
        { key: "b", value: { intValue: "2" } },
        { key: "own", value: { stringValue: "text" } },
      ],
    });
    expect(BigInt(second.startTimeUnixNano) <= BigInt(first.startTimeUnixNano)).toBe(true);
    expect(BigInt(second.endTimeUnixNano) >= BigInt(first.endTimeUnixNano)).toBe(true);
  });

  it("that are not sampled go nowhere, and tell the next so", () => {
    const ended: Span[] = [];
    const span = new Span("server", "x", { ...root, isSampled: false }, (each) => ended.push(each));
    const child = span.child("client", "x");
    child.end();
    span.end();
    expect(ended).toEqual([]);
    expect(child.traceparent()).toBe(`00-${root.traceId}-${child.spanId}-00`);
  });

  it("hold no text that a reader could refuse the batch for, however it was cut (SAFE-1)", () => {
    const strange = [`${"x".repeat(999)}\u{1F600}`, "\ud800", "a\u202eb", "\u0000", "x".repeat(1_000_000)];
    const span = new Span("server", "x", root, () => {});
    for (const text of strange) span.set("text", showText(text));
    span.name = "π \u{1F600}";
    const text = textOf([span]);
    expect(text.length).toBeLessThan(6_000);
    expect(text).toMatch(/^[\x20-\x7e]+$/);
    expect(spansIn([span])[0].name).toBe("π \u{1F600}");
    for (const { value } of spansIn([span])[0].attributes)
      expect(value.stringValue).not.toMatch(/[\p{Cs}\p{Cf}\p{Cc}]/u);
  });
});

describe("a batch", () => {
  it("of any size is one text, and takes others once it was emptied", () => {
    const batch = new SpanBatch("[", "]");
    for (const count of [1, 3, 5_000, 2]) {
      const spans = Array.from({ length: count }, (_, index) => `"${String(index).repeat(10)}"`);
      for (const span of spans) batch.add(span);
      expect(batch.size).toBe(count);
      // Sent twice, it is the same.
      for (const body of [batch.seal(), batch.seal()])
        expect(Buffer.from(body).toString()).toBe(`[${spans.join()}]`);
      batch.empty();
    }
  });
});

describe("moments", () => {
  it("are nanoseconds since 1970 in digits, to the fraction of a millisecond", () => {
    const before = Date.now();
    const text = formatMoment(traceMoment());
    expect(text).toMatch(/^\d{19}$/);
    expect(Math.abs(Number(text) / 1e6 - before)).toBeLessThan(1_000);
    const at = traceMoment();
    // Every fraction of a millisecond comes after the one before, over the turn of it too.
    for (let before = formatMoment(at), part = 1; part <= 4_000; part += 1) {
      const next = formatMoment(at + part / 2_000);
      expect(Number(BigInt(next) - BigInt(before))).toBeGreaterThan(0);
      expect(Number(BigInt(next) - BigInt(before))).toBeLessThan(1_000);
      before = next;
    }
    for (const step of [0.001, 0.25, 1, 99.75, 5_000.5]) {
      const nanos = Number(BigInt(formatMoment(at + step)) - BigInt(formatMoment(at)));
      expect(Math.abs(nanos - step * 1e6)).toBeLessThanOrEqual(2);
    }
  });
});
