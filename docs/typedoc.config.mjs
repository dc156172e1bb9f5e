// The API's pages are those of what the package exports, and of nothing else.

import { readFileSync } from "node:fs";

const { exports } = JSON.parse(
  readFileSync(new URL("../packages/core/package.json", import.meta.url), "utf8"),
);

export default {
  entryPoints: Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace("./dist/", "../packages/core/src/").replace(/\.d\.ts$/, ".ts")],
  ),
  tsconfig: "../packages/core/tsconfig.json",
  plugin: ["typedoc-plugin-markdown"],
  out: "api",
  readme: "none",
  entryFileName: "index",
  hidePageHeader: true,
  hideBreadcrumbs: true,
  disableSources: true,
  excludeInternal: true,
  // Shapes that only appear in signatures are shown there.
  validation: { notExported: false },
  logLevel: "Warn",
};
