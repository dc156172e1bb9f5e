// A JSON Schema in the form that the AI SDK takes, made without the SDK.

import type { AiSdkSchema } from "./ai-sdk-shapes.js";

/** The registered symbol by which the SDK knows the schemas that its own `jsonSchema()` made. */
const SDK_SCHEMA = Symbol.for("vercel.ai.schema");

/**
 * Two forms in one object. The SDK looks for its own mark first and then passes the JSON Schema on as it is. Should a
 * version not know the mark, the object is a Standard Schema too; there the SDK closes all objects against further
 * properties, in place, which is why that way hands out copies.
 *
 * Arguments are not checked here: that is the downstream's business, and its patterns are not to be run (SAFE-3).
 */
export function buildSchema(schema: Readonly<Record<string, unknown>>): AiSdkSchema {
  const copy = (): Record<string, unknown> => JSON.parse(JSON.stringify(schema));
  return {
    [SDK_SCHEMA]: true,
    _type: undefined,
    jsonSchema: schema,
    validate: undefined,
    "~standard": {
      version: 1,
      vendor: "onym",
      validate: (value: unknown) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  } as AiSdkSchema;
}
