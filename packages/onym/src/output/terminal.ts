// What a command may touch of the outside: where it writes and reads, the environment, the clock.

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { createPaint, type Paint } from "./paint.js";

export interface Terminal {
  /** To stdout. Resolves when more may be written, so that a slow reader slows the writer. */
  readonly out: (text: string) => Promise<void>;
  /** To stderr: notes, warnings, errors. */
  readonly err: (text: string) => void;
  readonly stdin: Readable;
  /** Width of the screen; `undefined` where the output goes to a file or a pipe. */
  readonly columns: number | undefined;
  /** The same for stderr. */
  readonly errColumns: number | undefined;
  /** stdout is a terminal. */
  readonly isTTY: boolean;
  readonly paint: Paint;
  readonly paintErr: Paint;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** YYYY-MM-DD. */
  readonly today: string;
}

/** The terminal of this process. A reader of stdout that went away (`| head`) ends it quietly, a full disk with exit 2. */
export function createTerminal(process: NodeJS.Process): Terminal {
  const { stdout, stderr, env } = process;
  stdout.on("error", ({ code = "unknown error" }: NodeJS.ErrnoException) => {
    if (code === "EPIPE") process.exit(process.exitCode ?? 0);
    stderr.write(`error: What onym prints cannot be written (${code}).\n`);
    process.exit(2);
  });
  // The reader of stderr is gone. There is nowhere to report it, and the gateway runs on without its log.
  stderr.on("error", () => {});
  return {
    out: (text) =>
      new Promise((resolve) => {
        if (stdout.write(text)) resolve();
        else stdout.once("drain", resolve);
      }),
    err: (text) => {
      stderr.write(text);
    },
    get stdin() {
      return process.stdin;
    },
    columns: columnsOf(stdout, env),
    errColumns: columnsOf(stderr, env),
    isTTY: stdout.isTTY === true,
    paint: createPaint({ isTTY: stdout.isTTY === true, env }),
    paintErr: createPaint({ isTTY: stderr.isTTY === true, env }),
    env,
    cwd: process.cwd(),
    today: new Date().toISOString().slice(0, 10),
  };
}

/** COLUMNS is for those who print to a pipe and still want lines of that width. */
function columnsOf(
  stream: NodeJS.WriteStream,
  { COLUMNS: wished }: Readonly<Record<string, string | undefined>>,
): number | undefined {
  const width = stream.isTTY === true ? stream.columns : undefined;
  if (width !== undefined && width > 0) return width;
  return wished !== undefined && /^[1-9]\d{0,4}$/.test(wished) ? Number(wished) : undefined;
}

/** A report for machines: stable key order, one document, nothing else on stdout. */
export function writeJson(terminal: Terminal, value: unknown): Promise<void> {
  return terminal.out(`${formatJson(value, 2)}\n`);
}

/** What a terminal or editor must not get, outside of what JSON itself writes: a line's end between members. */
const UNSEEN = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?![ \n])\p{White_Space}/gu;

/**
 * JSON that a person may look at: what cannot be seen, or changes how its neighbours are seen, is escaped as JSON escapes
 * it, so that it means the same (SAFE-1).
 */
export function formatJson(value: unknown, indent?: number): string {
  return escapeJsonText(JSON.stringify(value, null, indent));
}

/** The same JSON, with what cannot be seen escaped. */
export function escapeJsonText(json: string): string {
  return json.replace(UNSEEN, (character) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
      .join(""),
  );
}

// A yes from a person at a terminal. No terminal, no person.

/** Both ends are a terminal: a person sees the output and can answer. */
export function isInteractive({ isTTY, stdin }: Terminal): boolean {
  return isTTY && Reflect.get(stdin, "isTTY") === true;
}

/** Why a question is not asked where nobody could answer it. */
export const CANNOT_ASK = "Not a terminal, so Onym cannot ask.";

/** Only a plain yes is a yes; the end of the input is none, nor is Ctrl-C. */
export async function confirm(question: string, { err, stdin }: Terminal): Promise<boolean> {
  err(`${question} [y/N] `);
  const lines = createInterface({ input: stdin });
  const close = () => lines.close();
  process.once("SIGINT", close);
  try {
    const answer = await new Promise<string | undefined>((resolve) => {
      lines.once("line", resolve);
      lines.once("close", () => resolve(undefined));
    });
    if (answer === undefined) err("\n");
    return /^\s*y(es)?\s*$/i.test(answer ?? "");
  } finally {
    process.off("SIGINT", close);
    lines.close();
  }
}
