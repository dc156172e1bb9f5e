import { describe, expect, it } from "vitest";
import { formatTraceparent, parseTraceContext } from "./trace-context.js";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

describe("a trace context", () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    [`01-${TRACE}-${SPAN}-01-what-comes-later`, true],
  ])("is read from %s", (text, isSampled) => {
    expect(parseTraceContext(text)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled, state: undefined });
  });

  it.each([
    [undefined],
    [null],
    [5],
    [{}],
    [""],
    ["hello"],
    [`00-${TRACE.toUpperCase()}-${SPAN}-01`],
    [`00-${"0".repeat(32)}-${SPAN}-01`],
    [`00-${TRACE}-${"0".repeat(16)}-01`],
    [`ff-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-01-more`],
    [`00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    [`00-${TRACE}-${SPAN}-1`],
    [`01-${TRACE}-${SPAN}-01-${"x".repeat(10_000)}`],
  ])("is none in %j", (text) => {
    expect(parseTraceContext(text)).toBeUndefined();
  });

  it("is written as it was read", () => {
    for (const flags of ["00", "01"]) {
      const text = `00-${TRACE}-${SPAN}-${flags}`;
      const context = parseTraceContext(text);
      expect(context === undefined ? "" : formatTraceparent(context)).toBe(text);
    }
  });

  it.each([
    ["rojo=1,congo=t61rcWkgMzE", "rojo=1,congo=t61rcWkgMzE"],
    ["", undefined],
    [5, undefined],
    ["a=\n", undefined],
    ["a=é", undefined],
    ["x".repeat(513), undefined],
  ])("keeps the state %j as %j", (state, kept) => {
    expect(parseTraceContext(`00-${TRACE}-${SPAN}-01`, state)?.state).toBe(kept);
  });
});
