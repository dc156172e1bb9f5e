// The `onym serve` entry in the command list, without loading its code.

export const SERVE = {
  name: "serve",
  group: "Setting up",
  summary: "the gateway: one MCP server in front of many",
} as const;
