// Which file is read when none is named: Onym's own, then those of clients in the same folder (CFG-1).

import { basename } from "node:path";

/** In the order they are looked for. */
export const CONFIG_FILES = [
  "onym.json",
  ".mcp.json",
  "claude_desktop_config.json",
  ".cursor/mcp.json",
  ".vscode/mcp.json",
  "mcp.json",
  "workbench-config.json",
] as const;

/** Files that belong to a client, so that keys Onym does not know at their top are the client's own. */
const CLIENT_FILES = new Set([
  ".mcp.json",
  "claude_desktop_config.json",
  "mcp.json",
  "workbench-config.json",
  ".claude.json",
  "settings.json",
  "mcp_config.json",
  "mcp-config.json",
  "mcp_settings.json",
  "cline_mcp_settings.json",
]);

export function isClientFile(file: string): boolean {
  return CLIENT_FILES.has(basename(file));
}
