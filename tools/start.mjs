// npm start: builds, with a line for each step, and serves. Whether the port is free is asked before the build, not after it.

import { spawnSync } from "node:child_process";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const DEFAULT_HOST = "127.0.0.1";
const DEFAULT_PORT = "6696";

const root = fileURLToPath(new URL("../", import.meta.url));
const program = new URL("../packages/onym/dist/bin.js", import.meta.url);

const STEPS = [
  ["checking types", ["node_modules/typescript/bin/tsc", "-b", "packages/core", "packages/onym"]],
  ["bundling the program and its console", ["tools/bundle.mjs"]],
];

const given = process.argv.slice(2);
await checkPort(addressIn(given));
console.error("Building Onym: up to 30 s the first time, a few seconds after that.");
for (const [step, command] of STEPS) {
  console.error(`  ${step}…`);
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
process.argv = [process.execPath, fileURLToPath(program), "serve", "--demo", ...given];
// npm passes a signal to the shell that it starts, which ends alone where it does not replace itself.
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 200).unref();
await import(program.href);

/** Other flags are the program's to read. */
function addressIn(args) {
  const options = { host: { type: "string" }, port: { type: "string" }, stdio: { type: "boolean" } };
  const {
    host = DEFAULT_HOST,
    port = DEFAULT_PORT,
    stdio,
  } = parseArgs({ args, options, strict: false }).values;
  return { host, port: stdio ? 0 : Number(port) };
}

/** The program says the same where another one takes the port meanwhile. */
function checkPort({ host, port }) {
  if (!(port > 0 && port < 65_536)) return undefined;
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", ({ code }) => {
      if (code !== "EADDRINUSE") return resolve();
      console.error(
        `error: Port ${port} of ${host} is in use, perhaps by an Onym that runs already, such as the demo of another npm start.`,
      );
      console.error("  End that program, or choose another port: npm start -- --port 0 picks a free one.");
      process.exit(2);
    });
    probe.listen(port, host, () => probe.close(resolve));
  });
}
