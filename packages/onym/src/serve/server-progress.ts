// Progress while servers start: one line per server when it comes up or goes down.

import { countNoun, serverLabel } from "../cli/output/wording.js";
import { wrapText } from "../cli/output/wrap-text.js";
import type { Terminal } from "../cli/terminal.js";
import type { Downstream, Unhealthy } from "../downstream/downstream.js";
import { momentOf } from "../downstream/explain-down.js";
import { toolNamesOf } from "../downstream/inventory/inventory.js";

/** The width of the word before the name. */
const INDENT = " ".repeat(9);

type Screen = Pick<Terminal, "err" | "paintErr" | "errColumns">;

/**
 * Reports each change of state once: a server that is down is reported again only with a different reason.
 * @param what `trouble`: reports a server that came up only if it was down before.
 */
export function createServerProgress(
  screen: Screen,
  what: "all" | "trouble" = "all",
): (downstream: Downstream) => void {
  const shown = new WeakMap<Downstream, string>();
  return (downstream) => {
    const text = describeServer(downstream, screen);
    if (text === undefined || shown.get(downstream) === text) return;
    const { status } = downstream;
    const isTrouble = status.kind === "failed" || (status.kind === "ready" && status.unhealthy !== undefined);
    const isNews = isTrouble || what === "all" || shown.has(downstream);
    shown.set(downstream, text);
    if (isNews) screen.err(`${text}\n`);
  };
}

/** Constant while it lasts, so that it is reported once. */
function explainUnhealthy({ since }: Unhealthy): string {
  return `its requests fail since ${momentOf(since)}; calls are refused until one succeeds`;
}

function describeServer(
  { id, status, inventory, launch }: Downstream,
  { paintErr, errColumns: columns }: Screen,
): string | undefined {
  const name = serverLabel(id);
  switch (status.kind) {
    case "ready": {
      if (status.unhealthy !== undefined)
        return `  ${paintErr("red", "unhealthy")}  ${name}  ${explainUnhealthy(status.unhealthy)}`;
      const what =
        launch.kind === "static" ? "from the config" : countNoun(toolNamesOf(inventory).length, "tool");
      return `  ${paintErr("green", "ready")}  ${name}  ${paintErr("dim", what)}`;
    }
    case "failed": {
      const [first = "", ...more] = wrapText(`${name}  ${status.reason}`, { columns, indent: INDENT });
      const hint = wrapText(status.hint, { columns, indent: INDENT });
      const head = `  ${paintErr("red", "down")}   ${first.slice(INDENT.length)}`;
      return [head, ...more, ...hint.map((line) => paintErr("dim", line))].join("\n");
    }
    default:
      return undefined;
  }
}
