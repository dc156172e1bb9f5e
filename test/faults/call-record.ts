// Which calls reached a server, and how often each ran there: noted by the servers themselves, in this process or in a file.

import { existsSync, readFileSync } from "node:fs";

type Noted = "got" | "ran";

export interface CallRecord {
  readonly note: (what: Noted, nonce: string) => void;
  /** How often the call with this nonce got so far. */
  readonly count: (what: Noted, nonce: string) => number;
  readonly nonces: () => readonly string[];
}

/** `file`: what servers in other processes append to, as `got SERVER NONCE`. */
export function createCallRecord(file: string): CallRecord {
  const noted = new Map<string, number>();
  const add = (key: string): void => void noted.set(key, (noted.get(key) ?? 0) + 1);
  let read = 0;
  const readFile = (): void => {
    if (!existsSync(file)) return;
    const text = readFileSync(file, "utf8");
    const end = text.lastIndexOf("\n") + 1;
    for (const line of text.slice(read, end).split("\n")) {
      const [what, , nonce] = line.split(" ");
      if (nonce !== undefined) add(`${what} ${nonce}`);
    }
    read = Math.max(read, end);
  };
  return {
    note: (what, nonce) => add(`${what} ${nonce}`),
    count: (what, nonce) => {
      readFile();
      return noted.get(`${what} ${nonce}`) ?? 0;
    },
    nonces: () => {
      readFile();
      return [...noted.keys()].filter((key) => key.startsWith("got ")).map((key) => key.slice(4));
    },
  };
}
