// `onym serve` by itself, the entry of a bundle of its own: a gateway starts faster from a few files than from the many that
// all commands share.

import type { ExitCode } from "./cli/output/show-error.js";
import { type CommandLine, runCommands } from "./cli/run-commands.js";
import { defineServe } from "./cli/setup/serve.js";
import { SERVE } from "./cli/setup/serve-entry.js";

export function serve(line: CommandLine): Promise<ExitCode> {
  return runCommands([{ ...SERVE, load: async () => defineServe }], line);
}
