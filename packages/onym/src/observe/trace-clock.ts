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

/** As OTLP has it: a whole number of nanoseconds, in digits. More than a double can hold, so in two parts. */
export function formatMoment(moment: number): string {
  const ms = Math.floor(origin) + Math.floor(moment);
  const rest = Math.floor(((origin % 1) + (moment % 1)) * 1e6);
  const carry = rest >= 1e6 ? 1 : 0;
  return `${ms + carry}${String(rest - carry * 1e6).padStart(6, "0")}`;
}
