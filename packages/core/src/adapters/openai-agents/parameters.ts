// The schema of a tool's arguments, as the Agents SDK declares it.

import { listOf } from "../json-text.js";
import type { BeltTool } from "../tool-belt.js";
import type { AgentsParameters } from "./shapes.js";

/** Fills in the members that the SDK requires. Everything else from the server's schema is kept unchanged. */
export function agentsParametersOf({ inputSchema }: BeltTool): AgentsParameters {
  const filled = {
    ...inputSchema,
    type: "object",
    properties: inputSchema["properties"] ?? {},
    required: listOf(inputSchema["required"]),
  };
  return filled as unknown as AgentsParameters;
}
