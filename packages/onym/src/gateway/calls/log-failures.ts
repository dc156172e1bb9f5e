// A store that fails is told of when it begins to fail and when it works again, with how often it failed meanwhile: a line
// for each refused call would bury everything else.

import { OnymError } from "@onym/core";
import type { Log } from "../../model/log.js";
import { describeError } from "../describe-error.js";

export interface FailureLog {
  readonly failed: (what: string, error: unknown, facts?: Parameters<Log>[2]) => void;
  readonly worked: () => void;
}

/** While it goes on, it is told again this often. */
const AGAIN_MS = 60_000;

export function createFailureLog(log: Log, now: () => number): FailureLog {
  let failing: { readonly since: number; readonly toldAt: number; readonly failures: number } | undefined;
  return {
    failed(what, error, facts) {
      const at = now();
      const failures = (failing?.failures ?? 0) + 1;
      const isTold = failing !== undefined && at < failing.toldAt + AGAIN_MS;
      failing = { since: failing?.since ?? at, toldAt: isTold ? (failing?.toldAt ?? at) : at, failures };
      if (isTold) return;
      log("error", `${what}: ${reasonOf(error)}`, failures === 1 ? facts : { ...facts, failures });
    },
    worked() {
      if (failing === undefined) return;
      const { since, failures } = failing;
      failing = undefined;
      log("warn", "the store works again", { failures, seconds: Math.round((now() - since) / 1000) });
    },
  };
}

/** The way to an error is of use where it is a bug. */
function reasonOf(error: unknown): string {
  return error instanceof OnymError ? `${error.message} ${error.hint}` : describeError(error);
}
