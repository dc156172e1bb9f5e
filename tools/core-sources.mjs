// The source file behind each entry point of @onym/core, read from the exports of its package.json. What bundles or runs the
// sources (tests, the program, mutants) takes its aliases from here.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../", import.meta.url));

/** `{ "@onym/core": "…/src/index.ts", "@onym/core/openai": … }`, longest name first, as prefixes are matched in order. */
export function coreSources(root = PROJECT) {
  const folder = join(root, "packages/core");
  const { name, exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.entries(exports).flatMap(([path, target]) =>
    target.default === undefined ? [] : [[name + path.slice(1), join(folder, sourceOf(target.default))]],
  );
  return Object.fromEntries(entries.sort(([a], [b]) => b.length - a.length));
}

function sourceOf(built) {
  return built.replace("./dist/", "src/").replace(/\.js$/, ".ts");
}
