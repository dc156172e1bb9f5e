// onym token: a new token for one client, shown once, and the line for the config that knows it only by its digest.

import { createHash, randomBytes } from "node:crypto";
import { quoteText } from "@onym/core";
import { LOCAL_PRINCIPAL } from "../../model/auth-settings.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { usageError } from "../usage-error.js";

interface TokenOptions {
  readonly json?: boolean;
}

/** Says in a leaked file or log what it is. */
const PREFIX = "onym_";

export const defineToken: DefineCommand = (command, { terminal, run }) => {
  command.argument("[name]", "who it is for: the caller's name in rules, approvals and records", "client");
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym token ci\n  onym token laptop --json\n\n" +
        'The line goes into "auth": {"tokens": […]} of the config. The token is not\nstored anywhere: if you lose it, create another.',
    )
    .action((name: string, options: TokenOptions) => run(() => makeToken(name, options, terminal)));
};

async function makeToken(name: string, { json }: TokenOptions, terminal: Terminal): Promise<ExitCode> {
  if (name.trim() === "" || name === LOCAL_PRINCIPAL)
    throw usageError(
      `${quoteText(name)} cannot be the name of a caller.`,
      `Choose another; "${LOCAL_PRINCIPAL}" is the caller over stdio.`,
    );
  const token = `${PREFIX}${randomBytes(32).toString("base64url")}`;
  const hash = `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const line = JSON.stringify({ name, hash });
  if (json === true) {
    await writeJson(terminal, { token, config: { name, hash } });
    return 0;
  }
  await terminal.out(
    `${token}\n\n` +
      "This is the only time it is shown. The client sends it with each request:\n" +
      `  Authorization: Bearer ${token}\n\n` +
      'Add this to "auth": {"tokens": […]} in the config:\n' +
      `  ${line}\n`,
  );
  return 0;
}
