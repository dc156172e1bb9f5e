// Onym as its users run it, for tests: the built program in a folder of its own, and real SDK clients.

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { projectRoot } from "../project-files.js";

export const ONYM_BIN = join(projectRoot, "packages/onym/dist/bin.js");
const READY = /^onym listening on (\S+)$/m;

export interface OnymSetup {
  /** Written as `onym.json`; text is written as it is. */
  readonly config?: unknown;
  /** After `serve --port 0 --config onym.json`. */
  readonly args?: readonly string[];
  /** Beside PATH and a HOME of its own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The config is left for Onym to find; else an `onym.json` in the folder is named, as one that is found has to be trusted. */
  readonly isFound?: boolean;
  /** Where to run; a new folder if not given, which is then removed at the end. */
  readonly dir?: string;
}

export interface RunningOnym {
  /** `http://HOST:PORT/mcp`. */
  readonly url: string;
  readonly dir: string;
  readonly pid: number;
  /** All it has said on standard error so far. */
  readonly stderr: () => string;
  /** Resolves with the first match in what it says on standard error, from the beginning; rejects if it ends first. */
  readonly said: (pattern: RegExp) => Promise<RegExpMatchArray>;
  /** Sends the signal and waits until it is gone. Idempotent. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<OnymExit>;
  /** Sends a signal that does not end it. */
  readonly signal: (signal: NodeJS.Signals) => void;
}

interface OnymExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/** Starts `onym serve` and waits until it listens. */
export async function startOnym(setup: OnymSetup = {}): Promise<RunningOnym> {
  const { dir, remove } = onymFolder(setup);
  const { args = [], env = {} } = setup;
  const isNamed = setup.isFound !== true && existsSync(join(dir, "onym.json"));
  const config = isNamed ? ["--config", "onym.json"] : [];
  const child = spawn(process.execPath, [ONYM_BIN, "serve", "--port", "0", ...config, ...args], {
    cwd: dir,
    env: onymEnvironment(dir, env),
    stdio: ["ignore", "ignore", "pipe"],
  });
  running.add(child);
  const exit = new Promise<OnymExit>((resolve) => {
    child.once("exit", (code, signal) => {
      running.delete(child);
      resolve({ code, signal });
    });
  });
  const lines = watchText(child);
  const stop = async (signal: NodeJS.Signals = "SIGTERM"): Promise<OnymExit> => {
    child.kill(signal);
    const ended = await exit;
    remove();
    return ended;
  };
  try {
    const [, url = ""] = await lines.said(READY);
    const pid = child.pid ?? 0;
    return {
      url,
      dir,
      pid,
      stderr: lines.all,
      said: lines.said,
      stop,
      signal: (name) => void child.kill(name),
    };
  } catch (cause) {
    await stop("SIGKILL");
    throw cause;
  }
}

/** The folder Onym runs in, with its config. */
export function onymFolder({ config, dir }: OnymSetup): {
  readonly dir: string;
  readonly remove: () => void;
} {
  const folder = dir ?? mkdtempSync(join(tmpdir(), "onym-gateway-"));
  if (config !== undefined) {
    const text = typeof config === "string" ? config : JSON.stringify(config, undefined, 2);
    writeFileSync(join(folder, "onym.json"), text);
  }
  return {
    dir: folder,
    remove: () => {
      if (dir === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Nothing of the tester's own environment but the way to programs. */
export function onymEnvironment(home: string, env: Readonly<Record<string, string>>): Record<string, string> {
  const { PATH = "" } = process.env;
  return { PATH, HOME: home, ...env };
}

function watchText(child: ChildProcess): Pick<RunningOnym, "said"> & { readonly all: () => string } {
  let text = "";
  let ended = false;
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    wake();
  });
  for (const event of ["close", "error"]) {
    child.once(event, () => {
      ended = true;
      wake();
    });
  }
  const said = (pattern: RegExp) =>
    new Promise<RegExpMatchArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text);
        if (match === null && !ended) return;
        waiting.delete(look);
        if (match === null) reject(new Error(`onym ended without saying ${pattern}:\n${text}`));
        else resolve(match);
      };
      waiting.add(look);
      look();
    });
  return { all: () => text, said };
}
