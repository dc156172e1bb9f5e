// Timestamps of spans: high resolution, monotonic, formatted as nanoseconds since 1970.

/** With more drift than this, the system clock was set or the machine slept. */
const MAX_DRIFT_MS = 100;

let origin = performance.timeOrigin;

/** In ms, from an arbitrary origin; only for `formatMoment`. */
export function traceMoment(): number {
  return performance.now();
}

/** Call it periodically: follows the system clock if that was changed. */
export function adjustTraceClock(): void {
  const now = Date.now() - performance.now();
  if (Math.abs(now - origin) > MAX_DRIFT_MS) origin = now;
}

/**
 * OTLP's format: a whole number of nanoseconds as digits. A double cannot hold it, so it is built from parts. There
 * are four per call, so the parts are cached.
 */
export function formatMoment(moment: number): string {
  const fraction = (origin % 1) + (moment % 1);
  const carry = fraction >= 1 ? 1 : 0;
  const ns = Math.floor((fraction - carry) * 1e6);
  const ms = Math.floor(origin) + Math.floor(moment) + carry;
  return formatMs(ms) + thousands[Math.floor(ns / 1_000)] + thousands[ns % 1_000];
}

/** `000` to `999`. */
const thousands = Array.from({ length: 1_000 }, (_, number) => String(number).padStart(3, "0"));

/** The latest values, by their lowest bits: calls that end together often started together. */
const recent = Array.from({ length: 64 }, () => ({ ms: 0, text: "0" }));

function formatMs(ms: number): string {
  const place = recent[ms % recent.length] as { ms: number; text: string };
  if (place.ms !== ms) {
    place.ms = ms;
    place.text = String(ms);
  }
  return place.text;
}
