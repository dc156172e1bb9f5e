// Writes schema/onym.schema.json from the shape that configs are checked against. Run after a build.

import { writeFileSync } from "node:fs";
import { formatConfigJsonSchema } from "./dist/config/config-json-schema.js";

writeFileSync(new URL("schema/onym.schema.json", import.meta.url), formatConfigJsonSchema());
