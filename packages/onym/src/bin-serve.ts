// `onym serve` by itself, the entry of a bundle of its own: a gateway starts faster from a few files than from the many that
// all commands share.

import { type CommandLine, runCommands } from "./cli/run-commands.js";
import { defineServe } from "./cli/setup/serve.js";
import { SERVE } from "./cli/setup/serve-entry.js";
import type { ExitCode } from "./output/show-error.js";

export function serve(line: CommandLine): Promise<ExitCode> {
  return runCommands([{ ...SERVE, load: async () => defineServe }], line);
}
