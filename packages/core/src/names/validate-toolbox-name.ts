// Why a text is not a toolbox name, in the three sentences its users know (BOX-3).

export type ToolboxNameVerdict = { readonly valid: true } | { readonly valid: false; readonly error: string };

const SEPARATORS =
  "Tool name must contain exactly 2 double underscores (format: {toolbox}__{server}__{tool})";
const EMPTY = "Tool name components (toolbox, server, tool) cannot be empty";
const CHARACTERS =
  "Toolbox and server names should contain only alphanumeric characters, hyphens, and underscores";

/**
 * Explains whether a text is a toolbox name. `strict` also refuses separators inside the tool part, as the literal
 * reading "exactly two" would have it.
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
