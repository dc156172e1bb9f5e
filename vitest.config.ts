import { configDefaults, defineConfig } from "vitest/config";

const core = new URL("./packages/core/src/index.ts", import.meta.url).pathname;
const adapters = new URL("./packages/core/src/adapters/", import.meta.url).pathname;
const evidence = new URL("./packages/core/src/evidence.ts", import.meta.url).pathname;

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@onym\/core$/, replacement: core },
      { find: /^@onym\/core\/evidence$/, replacement: evidence },
      { find: /^@onym\/core\/(.+)$/, replacement: `${adapters}$1.ts` },
    ],
  },
  test: {
    // Tests start the program: it is made from the source as it stands.
    globalSetup: ["tools/bundle.mjs"],
    include: ["packages/*/src/**/*.test.ts", "test/**/*.test.ts"],
    // Needs an installation of its own: npm run test:newer-node.
    exclude: [...configDefaults.exclude, "test/newer-node/**"],
    // Most tests of the gateway wait for other processes; one core left idle would double the time.
    maxWorkers: 2,
    // Laws with ten thousand cases take minutes on a busy machine; what hangs still ends.
    testTimeout: 600_000,
    hookTimeout: 120_000,
  },
});
