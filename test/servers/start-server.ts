// Starts the servers of this folder as child processes: on a port of their own, gone when the test is.

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { projectRoot } from "../project-files.js";

export interface RunningServer {
  /** The MCP endpoint. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

export const serversFolder = join(projectRoot, "test/servers");

/** Starts a server that says `listening on URL` on standard output and ends with its standard input. */
export async function startServer(
  file: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const child = spawn(process.execPath, [join(serversFolder, file), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, ...env },
  });
  const url = await readAddress(child, file);
  return { url, close: () => endChild(child) };
}

function readAddress(child: ChildProcess, file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code} before it listened`)));
    if (child.stdout === null) return;
    createInterface({ input: child.stdout }).on("line", (line) => {
      const url = /^listening on (\S+)$/.exec(line)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
}

function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGKILL");
  });
}
