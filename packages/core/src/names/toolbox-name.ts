// Toolbox names `{toolbox}__{server}__{tool}` (BOX-1, BOX-2): text ⇄ three parts.

/** A toolbox name taken apart. Everything after the second separator belongs to the tool. */
export interface ParsedToolboxName {
  readonly toolbox: string;
  readonly server: string;
  readonly originalTool: string;
}

const SEPARATOR = "__";

/**
 * Cuts at the first two `__`. `null` for fewer than two separators or an empty part; never throws.
 *
 * @example
 * parseToolboxName("test__server__tool__with__underscores");
 * // { toolbox: "test", server: "server", originalTool: "tool__with__underscores" }
 */
export function parseToolboxName(text: string): ParsedToolboxName | null {
  const first = text.indexOf(SEPARATOR);
  if (first < 1) return null;
  const second = text.indexOf(SEPARATOR, first + 2);
  if (second < 0 || second === first + 2 || second + 2 === text.length) return null;
  return {
    toolbox: text.slice(0, first),
    server: text.slice(first + 2, second),
    originalTool: text.slice(second + 2),
  };
}

/**
 * Joins the three parts. With ids that `isToolboxId` accepts, `parseToolboxName` gives the same parts back for every
 * non-empty tool name (BOX-4).
 *
 * @example
 * formatToolboxName({ toolbox: "dev", server: "filesystem", originalTool: "read_file" }); // "dev__filesystem__read_file"
 */
export function formatToolboxName(parts: ParsedToolboxName): string {
  return parts.toolbox + SEPARATOR + parts.server + SEPARATOR + parts.originalTool;
}

/**
 * Whether a text may be the id of a toolbox, or of a server inside one (BOX-4).
 *
 * @example
 * isToolboxId("my-server_2"); // true
 * isToolboxId("my__server"); // false
 */
export function isToolboxId(text: string): boolean {
  return /^[A-Za-z0-9-](?:[A-Za-z0-9_-]*[A-Za-z0-9-])?$/.test(text) && !text.includes(SEPARATOR);
}
