// Colour, where a person looks: on a terminal, unless NO_COLOR says no or FORCE_COLOR says otherwise.

export type Style = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

export type Paint = (style: Style | undefined, text: string) => string;

const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  cyan: [36, 39],
};

export function createPaint(input: {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Paint {
  if (!wantsColour(input)) return (_, text) => text;
  return (style, text) => {
    if (style === undefined || text === "") return text;
    const [on, off] = CODES[style];
    return `\u001B[${on}m${text}\u001B[${off}m`;
  };
}

function wantsColour({ isTTY, env }: Parameters<typeof createPaint>[0]): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: term } = env;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return isTTY && term !== "dumb";
}
