// `npm start`: builds, then becomes the gateway. npm passes a signal to the shell that it starts, which ends alone where it
// does not replace itself; the gateway then ends by itself.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

console.log("building…");
const { status } = spawnSync("npm run --silent build", { shell: true, stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
const program = new URL("../packages/onym/dist/bin.js", import.meta.url);
process.argv = [process.execPath, fileURLToPath(program), "serve", "--demo", ...process.argv.slice(2)];
const parent = process.ppid;
setInterval(() => process.ppid === parent || process.kill(process.pid, "SIGTERM"), 200).unref();
await import(program.href);
