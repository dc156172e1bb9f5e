// Versions in canonical names (CANON-3): integers from 1 up, written one way, never coerced.

import type { ParseResult } from "./problem.js";

/** A requested version: a number, or `latest` for the highest one available. */
export type VersionRequest = number | "latest";

// Fifteen digits stay below Number.MAX_SAFE_INTEGER, so no version loses precision.
const NUMBER = /^v?([1-9][0-9]{0,14})$/;

const FIRST: ParseResult<VersionRequest> = Object.freeze({ ok: true, value: 1 });

/** Whether a number is a valid version. */
export function isVersion(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value < 1e15;
}

/**
 * Parses the text after an `@`: `1`, `v1` or `latest`. `undefined` means that there was no `@`, and gives 1.
 *
 * @example
 * parseVersion("v2", 7); // { ok: true, value: 2 }
 * parseVersion("01", 7); // { ok: false, problem: { code: "bad-version", position: 7, … } }
 */
export function parseVersion(text: string | undefined, position: number): ParseResult<VersionRequest> {
  if (text === undefined || text === "1" || text === "v1") return FIRST;
  if (text === "latest") return { ok: true, value: "latest" };
  const digits = NUMBER.exec(text)?.[1];
  if (digits !== undefined) return { ok: true, value: Number(digits) };
  return {
    ok: false,
    problem: {
      code: "bad-version",
      severity: "error",
      message:
        text === "" ? "There is no version after the @." : "The text after the @ is not a version number.",
      fix: "Write a whole number from 1 up without leading zeros (@2), @latest, or leave the @ out.",
      position,
    },
  };
}
