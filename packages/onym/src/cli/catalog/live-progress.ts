// Progress while servers are asked: one line for each on stderr, as it comes up or fails.

import { countNoun } from "../output/count-noun.js";
import { serverLabel } from "../output/server-label.js";
import type { Terminal } from "../terminal.js";
import type { LiveServer } from "./live-servers.js";

/** Why a server failed stands in the report. */
export function createLiveProgress({
  err,
  paintErr,
}: Pick<Terminal, "err" | "paintErr">): (live: LiveServer) => void {
  return ({ server: { source }, state, ms }) => {
    const name = serverLabel(source);
    const took = paintErr("dim", formatDuration(ms));
    if (state.kind === "failed") err(`  ${paintErr("red", "down")}   ${name}  ${took}\n`);
    else
      err(
        `  ${paintErr("green", "ready")}  ${name}  ${countNoun(state.inventory.tools.length, "tool")}  ${took}\n`,
      );
  };
}

/** @example formatDuration(1234); // "1.2 s" */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`;
}
