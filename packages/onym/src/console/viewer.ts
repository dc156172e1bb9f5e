// Who looks at the console, and what it may do there: an operator who came by the link that was printed at the start, or a caller
// with a token of the gateway's own.

import { randomBytes, timingSafeEqual } from "node:crypto";
import type { CallerIdentity } from "../gateway/visibility/visibility.js";

export interface Viewer extends CallerIdentity {
  /** Decides, restarts, and sees what everybody does. Others see what they see as callers, and change nothing. */
  readonly isOperator: boolean;
}

export interface ConsoleSessions {
  /** A key that signs in once, and soon. */
  readonly issueKey: () => string;
  /** The token of a new session; `undefined` for a key that does not count, or not any more. */
  readonly redeem: (key: string) => string | undefined;
  readonly isSession: (token: string) => boolean;
  readonly end: (token: string) => void;
}

const KEY_MS = 15 * 60_000;
const SESSION_MS = 12 * 60 * 60_000;
const MAX_KEYS = 20;
const MAX_SESSIONS = 100;

/** Sessions end with the process. */
export function createConsoleSessions(now: () => number): ConsoleSessions {
  const keys = new Expiring(MAX_KEYS);
  const sessions = new Expiring(MAX_SESSIONS);
  return {
    issueKey() {
      const key = randomBytes(24).toString("base64url");
      keys.add(key, now() + KEY_MS);
      return key;
    },
    redeem(key) {
      if (!keys.take(key, now())) return undefined;
      const token = `onym-console-${randomBytes(32).toString("base64url")}`;
      sessions.add(token, now() + SESSION_MS);
      return token;
    },
    isSession: (token) => sessions.has(token, now()),
    end: (token) => void sessions.take(token, now()),
  };
}

/** Secrets with an end; the oldest goes where there are too many. */
class Expiring {
  readonly #max: number;
  #entries: { readonly secret: Buffer; readonly until: number }[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  add(secret: string, until: number): void {
    this.#entries = [...this.#entries, { secret: Buffer.from(secret), until }].slice(-this.#max);
  }

  has(secret: string, now: number): boolean {
    return this.#find(secret, now) !== undefined;
  }

  take(secret: string, now: number): boolean {
    const found = this.#find(secret, now);
    this.#entries = this.#entries.filter((entry) => entry !== found);
    return found !== undefined;
  }

  #find(secret: string, now: number) {
    const given = Buffer.from(secret);
    return this.#entries.find(
      (entry) =>
        entry.until > now && entry.secret.length === given.length && timingSafeEqual(entry.secret, given),
    );
  }
}
