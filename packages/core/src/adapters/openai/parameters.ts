// The parameters of a function in OpenAI's format.

import type { BeltTool } from "../tool-belt.js";

export type FunctionParameters = Record<string, unknown>;

/** An object schema without `properties` is valid JSON Schema, but makes OpenAI reject the whole request. */
export function functionParametersOf({ inputSchema }: BeltTool): FunctionParameters {
  return inputSchema["properties"] === undefined ? { ...inputSchema, properties: {} } : { ...inputSchema };
}

/** Omits an empty description. */
export function describedAs(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}
