// Progress while servers start: one line for each when it is up or down, as it happens.

import { escapeText } from "@onym/core";
import type { Downstream } from "../downstream/downstream.js";
import { countNoun } from "./count-noun.js";
import type { Terminal } from "./terminal.js";

/** Tells each change of state once. */
export function createServerProgress(
  terminal: Pick<Terminal, "err" | "paintErr">,
): (downstream: Downstream) => void {
  const told = new WeakMap<Downstream, string>();
  return (downstream) => {
    const line = describeServer(downstream, terminal);
    if (line === undefined || told.get(downstream) === line) return;
    told.set(downstream, line);
    terminal.err(`${line}\n`);
  };
}

function describeServer(
  { id, status, inventory, launch }: Downstream,
  { paintErr }: Pick<Terminal, "paintErr">,
): string | undefined {
  const name = escapeText(id.toolbox === undefined ? id.server : `${id.toolbox}/${id.server}`);
  switch (status.kind) {
    case "ready": {
      const what =
        launch.kind === "static" ? "from the config" : countNoun(inventory?.tools.length ?? 0, "tool");
      return `  ${paintErr("green", "ready")}  ${name}  ${paintErr("dim", what)}`;
    }
    case "failed":
      return `  ${paintErr("red", "down")}   ${name}  ${status.reason} ${paintErr("dim", status.hint)}`;
    default:
      return undefined;
  }
}
