// What the shortcuts of a call save against their plain versions: `node bench/gateway/fast-path.mjs`. Both take turns in one
// process; CPU time, median of the rounds. A shortcut that saves less than 5 % of a call's CPU time is not worth its code
// (docs/decisions/0105).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const ROUNDS = 21;
const OPERATIONS = 20_000;

const root = fileURLToPath(new URL("../../", import.meta.url));
const src = join(root, "packages/onym/src");

async function load(...exports) {
  const { outputFiles } = await build({
    stdin: { contents: exports.join("\n"), resolveDir: src, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const folder = mkdtempSync(join(root, "node_modules/.cache-fast-path-"));
  try {
    const file = join(folder, "parts.mjs");
    writeFileSync(file, outputFiles[0].text);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const PARTS = { signal: "./mcp/fast-path/cancel-signal.ts" };

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
