// The key for secrets at rest: from ONYM_SECRET_KEY, else from a file of the user's own, which is made when it is first needed.

import { randomBytes, randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { showPath } from "../model/show-path.js";

export interface KeyPlace {
  /** The value of ONYM_SECRET_KEY. */
  readonly given: string | undefined;
  /** `undefined` where others share the store: a key of this machine's own would lock them out. */
  readonly file: string | undefined;
}

export type LoadedKey =
  | { readonly kind: "key"; readonly key: Uint8Array }
  /** For people; never holds the key. */
  | { readonly kind: "problem"; readonly reason: string; readonly hint: string };

const BYTES = 32;
const HOW = "Make one with: openssl rand -base64 32";

export function loadSecretKey({ given, file }: KeyPlace, use: "open" | "seal"): LoadedKey {
  if (given !== undefined && given !== "") {
    const key = parseKey(given);
    if (key !== undefined) return { kind: "key", key };
    return problem(`ONYM_SECRET_KEY is no key of ${BYTES} bytes in base64 or hex`, `${HOW}.`);
  }
  if (file === undefined)
    return problem(
      "ONYM_SECRET_KEY is not set, and a database is shared, so that no key is made for this machine alone",
      `${HOW}, and give the same to every replica and to onym login.`,
    );
  try {
    const text = readText(file) ?? (use === "seal" ? makeFile(file) : undefined);
    if (text === undefined)
      return problem(
        `the key file ${showPath(file)} is missing`,
        "Put it back, or set ONYM_SECRET_KEY. Else sign out and in again: onym logout SERVER, onym login SERVER.",
      );
    const key = parseKey(text);
    if (key !== undefined) return { kind: "key", key };
    return problem(
      `the key file ${showPath(file)} holds no key`,
      "Put the right one back; it was not changed.",
    );
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return problem(
      `the key file ${showPath(file)} cannot be used (${code})`,
      "See to its rights and its folder, or set ONYM_SECRET_KEY.",
    );
  }
}

function problem(reason: string, hint: string): LoadedKey {
  return { kind: "problem", reason, hint };
}

function parseKey(text: string): Uint8Array | undefined {
  const written = text.trim();
  if (/^[0-9a-f]{64}$/i.test(written)) return new Uint8Array(Buffer.from(written, "hex"));
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(written)) return undefined;
  const key = Buffer.from(written, "base64");
  return key.length === BYTES ? new Uint8Array(key) : undefined;
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Whole or not at all, and only once: of two processes that make it, both use the first. */
function makeFile(file: string): string {
  const draft = `${file}.${randomUUID()}`;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(draft, `${randomBytes(BYTES).toString("base64")}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readFileSync(file, "utf8");
}
