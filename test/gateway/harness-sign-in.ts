// Signing in to servers behind Onym, for tests: the command line as people run it, and a browser that does as it is told.

import { type ChildProcess, spawn } from "node:child_process";
import { awaitOnym, type OnymRun } from "../cli/run-onym.js";
import { ONYM_BIN, onymEnvironment } from "./harness.js";

export interface Ran extends OnymRun {
  readonly signal: NodeJS.Signals | null;
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
  const child = spawn(process.execPath, [ONYM_BIN, ...nameConfig(args)], {
    cwd: dir,
    env: onymEnvironment(dir, env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = { out: "", err: "" };
  let found: (address: string) => void = () => {};
  let lost: (error: Error) => void = () => {};
  const address = new Promise<string>((resolve, reject) => {
    found = resolve;
    lost = reject;
  });
  // Not everybody waits for it.
  address.catch(() => {});
  for (const [name, stream] of [
    ["out", child.stdout],
    ["err", child.stderr],
  ] as const) {
    stream.setEncoding("utf8").on("data", (part: string) => {
      said[name] += part;
      const [, shown] = /^ {2}(https?:\S+)$/m.exec(said[name]) ?? [];
      if (shown !== undefined) found(shown);
    });
  }
  const ended = new Promise<Ran>((resolve) => {
    child.once("close", (code, signal) => {
      lost(new Error(`it ended without an address:\n${said.out}${said.err}`));
      resolve({ code, signal, ...said });
    });
  });
  return { child, address, ended };
}

/** Named, and not only found: what is found in a folder would have to be trusted first (CFG-6). */
function nameConfig([command = "", ...rest]: readonly string[]): readonly string[] {
  return [command, "--config", "onym.json", ...rest];
}

export function runCommand(
  dir: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<OnymRun> {
  return awaitOnym(dir, nameConfig(args), { env });
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
