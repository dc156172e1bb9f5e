// The place of a request in a trace, as W3C Trace Context writes it: `traceparent` and `tracestate`.

/** What one hop tells the next. */
export interface TraceContext {
  readonly traceId: string;
  /** The span that the next one belongs to. */
  readonly spanId: string;
  /** Somebody up the line decided to record this trace. */
  readonly isSampled: boolean;
  /** What tracing systems add for themselves; passed on as it came. */
  readonly state: string | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
/** What everybody has to pass on; longer ones may be left out. */
const MOST_STATE = 512;

/**
 * The context that somebody sent; `undefined` for what is none: then a trace begins here.
 *
 * @example
 * parseTraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?.isSampled; // true
 */
export function parseTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== "string" || traceparent.length > MOST_STATE) return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN || version === "ff") return undefined;
  // Later versions may add to the end.
  if (version === "00" && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state: readState(tracestate) };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

function readState(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > MOST_STATE) return undefined;
  return /^[\x20-\x7e]+$/.test(value) ? value : undefined;
}
