// The trace context of a request in the W3C format: `traceparent` and `tracestate`.

/** What one hop passes to the next. */
export interface TraceContext {
  readonly traceId: string;
  /** The parent of the next span. */
  readonly spanId: string;
  /** An upstream system decided to record this trace. */
  readonly isSampled: boolean;
  /** Data of other tracing systems; passed on unchanged. */
  readonly state: string | undefined;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const NO_TRACE = "0".repeat(32);
const NO_SPAN = "0".repeat(16);
/** The length that every system must pass on; longer values may be dropped. */
const MAX_STATE = 512;

/**
 * Parses the received context; `undefined` if it is not valid: then a new trace starts here.
 *
 * @example
 * parseTraceContext("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")?.isSampled; // true
 */
export function parseTraceContext(traceparent: unknown, tracestate?: unknown): TraceContext | undefined {
  if (typeof traceparent !== "string" || traceparent.length > MAX_STATE) return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (traceId === NO_TRACE || spanId === NO_SPAN || version === "ff") return undefined;
  // Later versions may append fields.
  if (version === "00" && rest !== undefined) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1, state: readState(tracestate) };
}

export function formatTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? "01" : "00"}`;
}

function readState(value: unknown): string | undefined {
  if (typeof value !== "string" || value === "" || value.length > MAX_STATE) return undefined;
  return /^[\x20-\x7e]+$/.test(value) ? value : undefined;
}
