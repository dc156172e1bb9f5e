// Runs commands of the built program one after another in one process, for run-onym.ts. Each gets a folder, an environment,
// streams and an evaluation of `bin.js` of its own, as a process of its own would; what commands load is loaded once.
// A command per line comes in on descriptor 0, its outcome goes out on descriptor 1.

import { createReadStream, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { Readable, Writable } from "node:stream";

const [bin] = process.argv.slice(2);
let runs = 0;
for await (const line of createInterface({ input: createReadStream("", { fd: 0 }) })) {
  const reply = Buffer.from(`${JSON.stringify(await run(JSON.parse(line)))}\n`);
  for (let sent = 0; sent < reply.length; ) sent += writeSync(1, reply, sent);
}

async function run({ args, cwd, env, input }) {
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"]) {
    const write = (text, _, done) => {
      said[name] += text;
      done();
    };
    Object.defineProperty(process, name, {
      value: new Writable({ decodeStrings: false, write }),
      configurable: true,
    });
  }
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input)]), configurable: true });
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.argv[0], bin, ...args];
  process.exitCode = undefined;
  runs += 1;
  await import(`${bin}?run=${runs}`);
  return { code: process.exitCode ?? 0, out: said.stdout, err: said.stderr };
}
