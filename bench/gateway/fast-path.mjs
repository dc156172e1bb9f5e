// What shortcuts of the gateway save against their plain versions: `node bench/gateway/fast-path.mjs`. Both take turns, those of a
// call in one process, those of a start in one each; CPU time, median of the rounds. A shortcut that saves less than 5 % of a call's
// or a start's CPU time is not worth its code (docs/decisions/0105).

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROUNDS = 21;
const STARTS = 15;
const OPERATIONS = 20_000;

const root = fileURLToPath(new URL("../../", import.meta.url));
const src = join(root, "packages/onym/src");

/** One file of code, as in the bundle of the program. */
async function bundle(...lines) {
  const { outputFiles } = await build({
    stdin: { contents: lines.join("\n"), resolveDir: src, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    minifyWhitespace: true,
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire("file:///");' },
    write: false,
  });
  return outputFiles[0].text;
}

async function load(...exports) {
  const text = await bundle(...exports);
  const folder = mkdtempSync(join(root, "node_modules/.cache-fast-path-"));
  try {
    const file = join(folder, "parts.mjs");
    writeFileSync(file, text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PARTS = { signal: "./mcp/fast-path/in-flight.ts" };

const parts = await load(
  ...Object.entries(PARTS).map(([name, path]) => `export * as ${name} from "${path}";`),
);

function nothing() {}

/** Three listeners come and go with a call. */
function useSignal(signal) {
  for (let count = 0; count < 3; count += 1) {
    const listener = () => nothing();
    signal.addEventListener("abort", listener, { once: true });
    signal.removeEventListener("abort", listener);
  }
}

const PAIRS = {
  "cancel signal": {
    fast: () => useSignal(parts.signal.createCancelSource().signal),
    plain: () => useSignal(new AbortController().signal),
  },
};

function measure(operation) {
  const before = process.cpuUsage();
  for (let count = 0; count < OPERATIONS; count += 1) operation();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / OPERATIONS;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1];
}

for (const [name, { fast, plain }] of Object.entries(PAIRS)) {
  const times = { fast: [], plain: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    times.fast.push(measure(fast));
    times.plain.push(measure(plain));
  }
  const [a, b] = [median(times.fast), median(times.plain)];
  console.log(`${name}: ${a.toFixed(2)} µs, plain ${b.toFixed(2)} µs, saves ${(b - a).toFixed(2)} µs`);
}

/** The CPU time that a process needs to load a file, in ms. */
function measureLoad(file) {
  const script = `const before = process.cpuUsage(); await import(${JSON.stringify(pathToFileURL(file).href)});
    const { user, system } = process.cpuUsage(before); console.log((user + system) / 1000);`;
  // The gateway has these in any case.
  const own = 'import "node:http"; import "node:https";';
  return Number(execFileSync(process.execPath, ["--input-type=module", "--eval", own + script]));
}

const folder = mkdtempSync(join(root, "node_modules/.cache-fast-path-"));
try {
  const files = { fast: join(folder, "fast.mjs"), plain: join(folder, "plain.mjs") };
  writeFileSync(files.fast, await bundle('export { Pool } from "../../../tools/fast-path/undici-pool.mjs";'));
  writeFileSync(files.plain, await bundle('export { Pool } from "undici";'));
  const times = { fast: [], plain: [] };
  for (let round = 0; round < STARTS; round += 1)
    for (const kind of ["fast", "plain"]) times[kind].push(measureLoad(files[kind]));
  const [a, b] = [median(times.fast), median(times.plain)];
  console.log(`loading undici's pool: ${a.toFixed(0)} ms, all of undici ${b.toFixed(0)} ms`);
} finally {
  rmSync(folder, { recursive: true });
}
