// Toolbox names `{toolbox}__{server}__{tool}` (BOX-1, BOX-2): text ⇄ three parts.

/** The parts of a toolbox name. Everything after the second separator belongs to the tool. */
export interface ParsedToolboxName {
  readonly toolbox: string;
  readonly server: string;
  readonly originalTool: string;
}

const SEPARATOR = "__";

/**
 * Splits at the first two `__`. Returns `null` for fewer than two separators or an empty part; never throws.
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
 * Joins the three parts. If `isToolboxId` accepts both ids, `parseToolboxName` returns the same parts for every
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

// Why a text is not a toolbox name, as one of three fixed messages (BOX-3).

export type ToolboxNameVerdict = { readonly valid: true } | { readonly valid: false; readonly error: string };

const SEPARATORS =
  "Tool name must contain exactly 2 double underscores (format: {toolbox}__{server}__{tool})";
const EMPTY = "Tool name components (toolbox, server, tool) cannot be empty";
const CHARACTERS =
  "Toolbox and server names should contain only alphanumeric characters, hyphens, and underscores";

/**
 * Explains whether a text is a toolbox name. `strict` also rejects separators inside the tool part (the literal
 * reading of "exactly two").
 *
 * @example
 * validateToolboxName("dev__filesystem__"); // { valid: false, error: "Tool name components … cannot be empty" }
 */
export function validateToolboxName(
  text: string,
  options: { readonly strict?: boolean } = {},
): ToolboxNameVerdict {
  const first = text.indexOf("__");
  const second = first < 0 ? -1 : text.indexOf("__", first + 2);
  if (second < 0) return { valid: false, error: SEPARATORS };
  if (options.strict === true && text.indexOf("__", second + 2) >= 0)
    return { valid: false, error: SEPARATORS };

  const toolbox = text.slice(0, first);
  const server = text.slice(first + 2, second);
  if (toolbox === "" || server === "" || second + 2 === text.length) return { valid: false, error: EMPTY };
  if (!isPlain(toolbox) || !isPlain(server)) return { valid: false, error: CHARACTERS };
  return { valid: true };
}

function isPlain(text: string): boolean {
  return /^[a-zA-Z0-9_-]+$/.test(text);
}
