// The JSON Schema of a config, for editors. Written to schema/onym.schema.json by `npm run schema`.

import * as z from "zod/mini";
import { configFile } from "./config-schema.js";

export function formatConfigJsonSchema(): string {
  const schema = z.toJSONSchema(configFile, { target: "draft-7", io: "input" });
  const titled = {
    $schema: schema.$schema,
    title: "Onym",
    description: "The config of Onym: servers, toolboxes, and how their tools are named.",
    ...schema,
  };
  return `${JSON.stringify(titled, null, 2)}\n`;
}
