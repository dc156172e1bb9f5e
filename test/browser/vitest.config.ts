// The console's tests in a browser. `npm run test:browser` runs them.

import { defineConfig } from "vitest/config";
import { coreSources } from "../../tools/core-sources.mjs";

export default defineConfig({
  root: new URL("../../", import.meta.url).pathname,
  resolve: { alias: coreSources() },
  test: {
    globalSetup: ["tools/bundle.mjs"],
    include: ["test/browser/*.test.ts", "test/browser/pages/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
