// One script of all sources and tests of a room. Its value is `{ sources, tests }`: what evaluates the sources, and each
// test file. What it needs of vitest and fast-check it takes from `globalThis.testLibrary`.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { coreSources } from "../core-sources.mjs";

/** Paths are relative to the folder that Stryker has made its copy of the project in. */
export async function bundleRoom({ sources, tests }) {
  const load = (file) => `import(${JSON.stringify(resolve(file))})`;
  const contents = `
    export const sources = () => Promise.all([${sources.map(load).join(", ")}]);
    export const tests = { ${tests.map((file) => `${JSON.stringify(file)}: () => ${load(file)}`).join(", ")} };`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "room",
    footer: { js: "room;" },
    platform: "node",
    target: "node20",
    plugins: [
      { name: "core", setup: useSourcesOfCore },
      { name: "test-library", setup: takeTestLibrary },
      { name: "own-address", setup: keepOwnAddress },
    ],
    logLevel: "error",
  });
  return outputFiles[0].text;
}

function useSourcesOfCore(bundle) {
  const sources = coreSources(process.cwd());
  bundle.onResolve({ filter: /^@onym\/core/ }, ({ path }) => ({ path: sources[path] }));
}

function takeTestLibrary(bundle) {
  const modules = {
    vitest:
      "export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, it, test } = testLibrary.vitest;",
    "fast-check": "export default testLibrary.fc;",
  };
  bundle.onResolve({ filter: /^(vitest|fast-check)$/ }, ({ path }) => ({ path, namespace: "test-library" }));
  bundle.onLoad({ filter: /./, namespace: "test-library" }, ({ path }) => ({ contents: modules[path] }));
}

/** Tests read their data by `import.meta.url`, which a script has not. */
function keepOwnAddress(bundle) {
  bundle.onLoad({ filter: /\.ts$/ }, ({ path }) => {
    const address = JSON.stringify(pathToFileURL(path).href);
    return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", address) };
  });
}
