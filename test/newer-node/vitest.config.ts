// Tests with SDKs that want a newer Node than Onym does: the tests of this folder, and the adapters' tests again, with the
// newest majors instead of the ones that fit Node 20. `npm run test:newer-node` runs them.

import { defineConfig } from "vitest/config";
import { coreSources } from "../../tools/core-sources.mjs";

const folder = new URL("./node_modules/", import.meta.url).pathname;

export default defineConfig({
  root: new URL("../../", import.meta.url).pathname,
  resolve: {
    alias: [
      ...Object.entries(coreSources()).map(([find, replacement]) => ({ find, replacement })),
      { find: /^ai$/, replacement: `${folder}ai/dist/index.js` },
      { find: /^ai\/test$/, replacement: `${folder}ai/dist/test/index.js` },
      { find: /^openai$/, replacement: `${folder}openai/index.mjs` },
      { find: /^@openai\/agents$/, replacement: `${folder}@openai/agents/dist/index.mjs` },
    ],
  },
  test: {
    include: [
      "test/newer-node/*.test.ts",
      "test/adapters/{ai-sdk,openai,openai-agents,matrix,shared-names}.test.ts",
    ],
    testTimeout: 600_000,
  },
});
