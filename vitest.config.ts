import { configDefaults, defineConfig } from "vitest/config";
import { coreSources } from "./tools/core-sources.mjs";

export default defineConfig({
  test: {
    // Tests start the program: it is made from the source as it stands.
    globalSetup: ["tools/bundle.mjs"],
    // Tests of the gateway wait for other processes nearly half of their time: with as many workers as cores, of which most
    // machines for tests have two, cores would be idle.
    maxWorkers: 4,
    projects: [
      // Beside their sources.
      project({ name: "core", include: ["packages/core/src/**/*.test.ts"] }),
      // By themselves, because SDKs that other tests load set the language of zod's messages for the whole process.
      project({ name: "config", include: ["packages/onym/src/config/**/*.test.ts"] }),
      project({
        name: "onym",
        include: ["packages/onym/src/**/*.test.ts"],
        exclude: [...configDefaults.exclude, "packages/onym/src/config/**"],
      }),
      project({
        name: "whole",
        include: ["test/**/*.test.ts"],
        // Needs an installation of its own: npm run test:newer-node.
        exclude: [...configDefaults.exclude, "test/newer-node/**", "test/browser/**"],
      }),
    ],
  },
});

function project(test: { readonly name: string; readonly include: string[]; readonly exclude?: string[] }) {
  return {
    resolve: { alias: coreSources() },
    test: {
      ...test,
      setupFiles: ["test/same-cases.ts", "test/end-of-file.ts"],
      // Test files share processes and what these have loaded, which costs more than most of the tests.
      isolate: false,
      // Laws with ten thousand cases take minutes on a busy machine; what hangs still ends.
      testTimeout: 600_000,
      hookTimeout: 120_000,
      expect: { poll: { timeout: 120_000 } },
    },
  };
}
