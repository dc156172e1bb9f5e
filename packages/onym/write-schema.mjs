// Writes schema/onym.schema.json from the shape that configs are checked against. Run after a build.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("src/config/schema/config-json-schema.ts", import.meta.url))],
  bundle: true,
  format: "esm",
  platform: "node",
  write: false,
});
const code = Buffer.from(outputFiles[0].contents).toString("base64");
const { formatConfigJsonSchema } = await import(`data:text/javascript;base64,${code}`);

writeFileSync(new URL("schema/onym.schema.json", import.meta.url), formatConfigJsonSchema());
