// The parameters of a function as OpenAI takes them.

import type { BeltTool } from "../tool-belt.js";

export type FunctionParameters = Record<string, unknown>;

/** An object schema without `properties` is legal JSON Schema, but makes OpenAI refuse the whole request. */
export function functionParametersOf({ inputSchema }: BeltTool): FunctionParameters {
  return inputSchema["properties"] === undefined ? { ...inputSchema, properties: {} } : { ...inputSchema };
}

/** Nothing rather than an empty description. */
export function describedAs(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}
