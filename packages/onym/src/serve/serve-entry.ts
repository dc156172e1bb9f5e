// `onym serve` among the commands, without its code.

export const SERVE = {
  name: "serve",
  group: "Setting up",
  summary: "the gateway: one MCP server in router of many",
} as const;
