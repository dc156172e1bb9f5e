// Says in the log which windows of renames cannot be counted (LOCK-2): once, and again when it comes back.

import type { CatalogProblem } from "@onym/core";
import type { Log } from "../observe/log.js";

export function createRenameTeller(log: Log): (problems: readonly CatalogProblem[]) => void {
  let told: ReadonlySet<string> = new Set();
  return (problems) => {
    const now = problems.filter(({ code }) => code === "rename-uncounted");
    for (const { message, fix } of now) if (!told.has(message)) log("warn", `${message} ${fix}`);
    told = new Set(now.map(({ message }) => message));
  };
}
