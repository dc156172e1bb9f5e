// Whether other users of this machine can read the key or change the config, which decides what Onym starts (SAFE-7).

import { statSync } from "node:fs";
import { escapeText } from "@onym/core";
import type { Check } from "./check.js";

/** On many systems each user has a group of its own, which may write: that alone harms nobody. */
const ALL_MAY_WRITE = 0o002;
const OTHERS_MAY_READ = 0o044;
const OTHERS_MAY_WRITE = 0o022;

/** Nothing to say on platforms whose files have no such modes. */
export function checkModes(files: {
  readonly config: string;
  /** The key for kept tokens, where there is one. */
  readonly key: string | undefined;
}): readonly Check[] {
  if (process.platform === "win32") return [];
  return [
    ...checkFile(files.config, "The config", ALL_MAY_WRITE),
    ...(files.key === undefined
      ? []
      : checkFile(files.key, "The key for kept tokens", OTHERS_MAY_READ | OTHERS_MAY_WRITE)),
  ];
}

function checkFile(file: string, what: string, bits: number): readonly Check[] {
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  const found = mode & bits;
  if (found === 0) return [];
  const can =
    (found & OTHERS_MAY_WRITE) === 0
      ? "read"
      : (found & OTHERS_MAY_READ) === 0
        ? "change"
        : "read and change";
  const shown = escapeText(file);
  return [
    {
      group: "Onym",
      name: "file modes",
      status: "warning",
      message: `${what} ${shown} has the mode ${(mode & 0o777).toString(8).padStart(4, "0")}: others on this machine can ${can} it.`,
      fix: `chmod ${bits === ALL_MAY_WRITE ? "o-w" : "600"} ${shown}`,
    },
  ];
}
