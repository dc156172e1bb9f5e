// Colour, where a person looks: on a terminal, unless NO_COLOR says no or FORCE_COLOR says otherwise.

import { styleText } from "node:util";

export type Style = "bold" | "dim" | "red" | "yellow" | "green" | "cyan";

export type Paint = (style: Style | undefined, text: string) => string;

export function createPaint(input: {
  readonly isTTY: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Paint {
  if (!wantsColour(input)) return (_, text) => text;
  return (style, text) => {
    if (style === undefined || text === "") return text;
    // Whether there is colour was decided above, for this terminal: later Nodes would ask about stdout again.
    return styleText(style, text, { validateStream: false });
  };
}

function wantsColour({ isTTY, env }: Parameters<typeof createPaint>[0]): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: refused, TERM: term } = env;
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if (refused !== undefined && refused !== "") return false;
  return isTTY && term !== "dumb";
}
