// A child of the benchmark: started, waited for, and ended by its id; none outlives the run.

import { spawn } from "node:child_process";

const running = new Set();

/**
 * `ready` is looked for in what it writes to stdout and stderr; the match is returned with it. Without `ready` it is not
 * waited for.
 */
export function startProcess({ command = process.execPath, args, cwd, env, ready, timeoutMs = 30_000 }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  child.once("exit", () => running.delete(child));
  child.stdin.on("error", () => {});
  let said = "";
  const started = {
    child,
    pid: child.pid,
    /** The last of what it said, for a failure. */
    lastWords: () => said.slice(-600).trim(),
    close: () => endProcess(child),
  };
  return new Promise((resolve, reject) => {
    let settled = false;
    const failed = (why) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      void endProcess(child).then(() => reject(new Error(`${why}: ${said.slice(-600).trim()}`)));
    };
    const timer = setTimeout(() => failed(`it was not ready within ${timeoutMs} ms`), timeoutMs);
    const done = (match) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve({ ...started, match });
    };
    const hear = (chunk) => {
      if (said.length < 1_000_000) said += chunk;
      else said = said.slice(-1000) + chunk;
      const match = ready?.exec(said);
      if (match) done(match);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", (error) => failed(error.message));
    child.once("exit", (code, signal) => failed(`it ended with ${code ?? signal}`));
    if (ready === undefined) child.once("spawn", () => done(undefined));
  });
}

function endProcess(child) {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const force = setTimeout(() => child.kill("SIGKILL"), 3000);
    child.once("exit", () => {
      clearTimeout(force);
      resolve();
    });
    child.stdin.end();
    child.kill("SIGTERM");
  });
}

/** For Ctrl+C: everything that still runs. */
export async function endAllProcesses() {
  await Promise.all([...running].map(endProcess));
}
