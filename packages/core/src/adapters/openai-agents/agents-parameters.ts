// The schema of a tool's arguments as the Agents SDK declares it.

import { listOf } from "../json-text.js";
import type { BeltTool } from "../tool-belt.js";
import type { AgentsParameters } from "./agents-shapes.js";

/** Fills in what the SDK takes for granted. The type is the SDK's; what else a downstream says is kept as it is. */
export function agentsParametersOf({ inputSchema }: BeltTool): AgentsParameters {
  const filled = {
    ...inputSchema,
    type: "object",
    properties: inputSchema["properties"] ?? {},
    required: listOf(inputSchema["required"]),
  };
  return filled as unknown as AgentsParameters;
}
