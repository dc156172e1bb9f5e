// Days and moments on the command line: `2027-06-30`, or with a time and a zone, `2027-06-30T12:00:00Z`.

import { quoteText } from "@onym/core";
import { usageError } from "./usage-error.js";

const DAY_MS = 86_400_000;
const MOMENT = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * ms since 1970. A day alone, in UTC as everywhere in Onym, is its first moment or its last one.
 *
 * @throws OnymError `usage` for what is no day.
 * @example
 * readMoment("--until", "2027-06-30", "last") - readMoment("--until", "2027-06-30", "first"); // 86_399_999
 */
export function readMoment(flag: string, text: string, side: "first" | "last"): number {
  const [, day = "", time] = MOMENT.exec(text) ?? [];
  const start = Date.parse(day);
  // 2027-02-31 is not the third of March.
  const isDay = !Number.isNaN(start) && new Date(start).toISOString().startsWith(day);
  const moment = time === undefined ? (side === "first" ? start : start + DAY_MS - 1) : Date.parse(text);
  if (day !== "" && isDay && !Number.isNaN(moment)) return moment;
  throw usageError(
    `${flag} ${quoteText(text)} is no day.`,
    `Write it as YYYY-MM-DD, or with a time and a zone: ${flag} 2027-06-30T12:00:00Z.`,
  );
}

/** The moment so many days from now. */
export function readDays(flag: string, text: string, now: number): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return now + Number(text) * DAY_MS;
  throw usageError(`${flag} ${quoteText(text)} is no number of days.`, `Write a whole number: ${flag} 30.`);
}

/** A moment for people: `2027-06-30 12:00:00`, in UTC. */
export function showMoment(at: number): string {
  return isoMoment(at).slice(0, 19).replace("T", " ");
}

/** A moment for machines. What no calendar has, such as a number that was altered, is shown as it is. */
export function isoMoment(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}
