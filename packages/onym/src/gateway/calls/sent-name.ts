// The name of a call as it was sent: bounded before it is resolved, and cut for people and records (SAFE-4).

import { hash } from "node:crypto";
import type { Resolution, StructuredName } from "@onym/core";

/** A raw name has at most 1,024 bytes; in its canonical form, percent-encoded, it takes three times as much and a little. */
const MAX_NAME_LENGTH = 4_096;
/** Longer ones are on record by their start, length and digest. */
const MAX_RECORDED_LENGTH = 512;
const RECORDED_START = 200;

/** What resolving a name comes to that is too long to be looked up; `undefined` for any other. */
export function refuseLongName(name: string | StructuredName): Resolution | undefined {
  const length =
    typeof name === "string"
      ? name.length
      : (name.toolbox?.length ?? 0) + name.server.length + name.name.length;
  if (length <= MAX_NAME_LENGTH) return undefined;
  return {
    outcome: "unknown",
    steps: [],
    warnings: [],
    suggestions: [],
    problem: {
      code: "too-long",
      severity: "error",
      message: `The name has ${length} characters; names have at most ${MAX_NAME_LENGTH}.`,
      fix: "Call a tool by a name from the list.",
    },
  };
}

export function recordedName(name: unknown): string {
  const text = typeof name === "string" ? name : (JSON.stringify(name) ?? "");
  if (text.length <= MAX_RECORDED_LENGTH) return text;
  const digest = hash("sha256", text).slice(0, 16);
  return `${text.slice(0, RECORDED_START)}… (${text.length} characters, sha256 ${digest})`;
}
