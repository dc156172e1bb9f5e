// `onym serve` among the commands, without its code.

export const SERVE = {
  name: "serve",
  group: "Setting up",
  summary: "the gateway: one MCP server in front of many",
} as const;
