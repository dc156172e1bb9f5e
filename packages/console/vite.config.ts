// The console's page: a few files without a name that changes, into the program's own folder. tools/bundle.mjs runs it.

import { defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  build: {
    target: "es2022",
    assetsDir: "",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
});
