import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { formatConfigJsonSchema } from "./config-json-schema.js";

it("is what editors get: run npm run schema -w onym after a change (CFG-1)", () => {
  const file = new URL("../../../schema/onym.schema.json", import.meta.url);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(JSON.parse(formatConfigJsonSchema()));
});
