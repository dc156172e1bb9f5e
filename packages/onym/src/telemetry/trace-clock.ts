// Moments of spans: fine and never going back, and told as nanoseconds since 1970.

/** Beyond this the clock of the machine was set, or the machine slept. */
const MOST_DRIFT_MS = 100;

let origin = performance.timeOrigin;

/** In ms, from any beginning; only good for `formatMoment`. */
export function traceMoment(): number {
  return performance.now();
}

/** To be called now and then: goes along with the clock of the machine where that has moved. */
export function adjustTraceClock(): void {
  const now = Date.now() - performance.now();
  if (Math.abs(now - origin) > MOST_DRIFT_MS) origin = now;
}

/**
 * As OTLP has it: a whole number of nanoseconds, in digits. More than a double can hold, so in parts; four for every call,
 * so from parts that are made already.
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

/** The last ones, by their lowest bits: calls that end together began together. */
const recent = Array.from({ length: 64 }, () => ({ ms: 0, text: "0" }));

function formatMs(ms: number): string {
  const place = recent[ms % recent.length] as { ms: number; text: string };
  if (place.ms !== ms) {
    place.ms = ms;
    place.text = String(ms);
  }
  return place.text;
}
