// The console's tests in a browser. `npm run test:browser` runs them.

import { defineConfig } from "vitest/config";
import base from "../../vitest.config.js";

export default defineConfig({
  root: new URL("../../", import.meta.url).pathname,
  ...(base.resolve === undefined ? {} : { resolve: base.resolve }),
  test: {
    globalSetup: ["tools/bundle.mjs"],
    include: ["test/browser/*.test.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
