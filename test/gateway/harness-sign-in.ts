// Signing in to servers behind Onym, for tests: the command line as people run it, and a browser that does as it is told.

import { type ChildProcess, spawn } from "node:child_process";
import { ONYM_BIN, onymEnvironment } from "./harness.js";

export interface Ran {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningCommand {
  readonly child: ChildProcess;
  /** The address that it prints; rejects where it ends without one. */
  readonly address: Promise<string>;
  readonly ended: Promise<Ran>;
}

export function startCommand(
  dir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningCommand {
  const [command = "", ...rest] = args;
  // Named, and not only found: what is found in a folder would have to be trusted first (CFG-6).
  const child = spawn(process.execPath, [ONYM_BIN, command, "--config", "onym.json", ...rest], {
    cwd: dir,
    env: onymEnvironment(dir, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { stdout: "", stderr: "" };
  let found: (address: string) => void = () => {};
  let lost: (error: Error) => void = () => {};
  const address = new Promise<string>((resolve, reject) => {
    found = resolve;
    lost = reject;
  });
  // Not everybody waits for it.
  address.catch(() => {});
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (part: string) => {
      said[name] += part;
      const [, shown] = /^ {2}(https?:\S+)$/m.exec(said[name]) ?? [];
      if (shown !== undefined) found(shown);
    });
  }
  const ended = new Promise<Ran>((resolve) => {
    child.once("close", (code, signal) => {
      lost(new Error(`it ended without an address:\n${said.stdout}${said.stderr}`));
      resolve({ code, signal, ...said });
    });
  });
  return { child, address, ended };
}

export function runCommand(
  dir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return startCommand(dir, args, env).ended;
}

/** Opens the address, and goes where it is sent. What the page at the end says. */
export async function browse(address: string): Promise<string> {
  const first = await fetch(address, { redirect: "manual" });
  const location = first.headers.get("location");
  if (location === null) throw new Error(`the authorization server sends nobody back: ${await first.text()}`);
  return (await fetch(location)).text();
}

/** Signs in to the server, as its user would. */
export async function signIn(
  dir: string,
  server: string,
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Ran> {
  const command = startCommand(dir, ["login", server, ...args], env);
  await browse(await command.address);
  return command.ended;
}
