import { describe, expect, it } from "vitest";
import { formatAttributes, showText } from "./attributes-text.js";
import { formatSpans } from "./format-spans.js";
import { Span } from "./span.js";
import { formatMoment, traceMoment } from "./trace-clock.js";

const root = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: undefined,
  isSampled: true,
  state: undefined,
};
const source = { resource: formatAttributes({ "service.name": "onym" }), version: "1.0.0" };
const spansIn = (spans: readonly Span[]) =>
  JSON.parse(formatSpans(spans, source)).resourceSpans[0].scopeSpans[0].spans;

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
    const text = formatSpans([span], source);
    expect(text.length).toBeLessThan(6_000);
    expect(Buffer.from(text).toString()).toBe(text);
    expect(text).not.toMatch(/\\ud[89a-f]/i);
    expect(text).not.toMatch(/\u202e/);
  });
});

describe("moments", () => {
  it("are nanoseconds since 1970 in digits, to the fraction of a millisecond", () => {
    const before = Date.now();
    const text = formatMoment(traceMoment());
    expect(text).toMatch(/^\d{19}$/);
    expect(Math.abs(Number(text) / 1e6 - before)).toBeLessThan(1_000);
    const at = traceMoment();
    expect(BigInt(formatMoment(at + 0.25)) - BigInt(formatMoment(at))).toBeGreaterThanOrEqual(249_990n);
    expect(BigInt(formatMoment(at + 0.25)) - BigInt(formatMoment(at))).toBeLessThanOrEqual(250_010n);
  });
});
