import { configDefaults, defineConfig } from "vitest/config";
import { coreSources } from "./tools/core-sources.mjs";

export default defineConfig({
  resolve: {
    alias: coreSources(),
  },
  test: {
    // Tests start the program: it is made from the source as it stands.
    globalSetup: ["tools/bundle.mjs"],
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    // Needs an installation of its own: npm run test:newer-node.
    exclude: [...configDefaults.exclude, "test/newer-node/**", "test/browser/**"],
    // Most tests of the gateway wait for other processes; one core left idle would double the time.
    maxWorkers: 2,
    // Laws with ten thousand cases take minutes on a busy machine; what hangs still ends.
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
