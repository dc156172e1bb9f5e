// Whose a tool is, for people: in toolboxes the canonical name alone does not tell two tools apart.

import { escapeText, type Tool, type ToolKey } from "@onym/core";

/**
 * `dev / github / search` for a tool in a toolbox; nothing for others, whose canonical names say it all.
 *
 * @example
 * showOwner({ toolbox: "dev", server: "github", raw: "search" }); // "dev / github / search"
 */
export function showOwner({ toolbox, server, raw }: Pick<Tool, "toolbox" | "server" | "raw">): string {
  return toolbox === undefined ? "" : [toolbox, server, raw].map(escapeText).join(" / ");
}

/** The same, of a tool that only a lock remembers. */
export function showOwnerOfKey(key: ToolKey): string {
  const [kind, toolbox, server, raw] = JSON.parse(key) as readonly string[];
  return kind === "toolbox" ? showOwner({ toolbox, server: server ?? "", raw: raw ?? "" }) : "";
}
