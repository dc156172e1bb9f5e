// A config file that Onym writes: over another only when told to, and then whole or not at all.

import { randomUUID } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { OnymError } from "../../model/onym-error.js";
import { showPath } from "../../model/show-path.js";
import { usageError } from "../usage-error.js";

/** Only its owner may read it where it holds secrets as they are. */
export function writeConfig(
  file: string,
  text: string,
  {
    force,
    isSecret,
    orElse,
  }: {
    readonly force: boolean;
    readonly isSecret: boolean;
    /** What else to do where the file exists. */
    readonly orElse: string;
  },
): void {
  const draft = join(dirname(file), `.${basename(file)}.${randomUUID().slice(0, 8)}.tmp`);
  try {
    const options = { flag: "wx", mode: isSecret ? 0o600 : 0o666 };
    writeFileSync(force ? draft : file, text, options);
    if (force) renameSync(draft, file);
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    if (code === "EEXIST") throw fileExists(file, orElse);
    throw new OnymError(
      "config-unwritable",
      `${showPath(file)} cannot be written (${code}).`,
      "Check that the folder exists and may be written to; nothing was changed.",
      { cause: error },
    );
  } finally {
    removeDraft(draft);
  }
}

/** Where its folder is none, there is no draft, and that was reported already. */
function removeDraft(draft: string): void {
  try {
    rmSync(draft, { force: true });
  } catch {}
}

export function fileExists(file: string, orElse: string): OnymError {
  return usageError(`${showPath(file)} exists already.`, `Write over it with --force, or ${orElse}.`);
}
