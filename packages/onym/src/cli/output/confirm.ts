// A yes from a person at a terminal. No terminal, no person.

import { createInterface } from "node:readline";
import type { Terminal } from "../terminal.js";

/** Somebody sees what is printed and can answer it. */
export function isInteractive({ isTTY, stdin }: Terminal): boolean {
  return isTTY && Reflect.get(stdin, "isTTY") === true;
}

/** Only a plain yes is a yes; the end of the input is none. */
export async function confirm(question: string, { err, stdin }: Terminal): Promise<boolean> {
  err(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  try {
    const answer = await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(undefined));
    });
    if (answer === undefined) err("\n");
    return /^\s*y(es)?\s*$/i.test(answer ?? "");
  } finally {
    lines.close();
  }
}
