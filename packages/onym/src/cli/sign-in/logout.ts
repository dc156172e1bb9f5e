// onym logout: forgets the tokens of a server, and asks its authorization server to do the same.

import { quoteText } from "@onym/core";
import { DEFAULT_OAUTH } from "../../configured/credential-source.js";
import type { ExitCode } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { type SignInServer, type SignInServerOptions, withSignInServer } from "./sign-in-server.js";

interface LogoutOptions extends SignInServerOptions {
  readonly json?: boolean;
}

export const defineLogout: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("<server>", "the id of a server with a url in the config")
    .option("--toolbox <id>", "the toolbox it is in, where several have one of that id")
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    );
  addJsonOption(command)
    .addHelpText("after", "\nExamples:\n  onym logout linear\n  onym logout crm --toolbox sales")
    .action((name: string, options: LogoutOptions) =>
      run(() =>
        withSignInServer(name, { ...options, way: "out" }, terminal, (server) =>
          logout(server, options, terminal),
        ),
      ),
    );
};

async function logout(
  { id, launch, shelf: grants }: SignInServer,
  { json }: LogoutOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const kept = await grants.read();
  // Here first: whatever the other side says, the tokens are not used any more.
  const isForgotten = await grants.remove();
  const { revokeGrant } = await import("../../oauth/renew-grant.js");
  const isRevoked = kept.kind === "grant" && (await revokeGrant(kept.grant, launch.oauth || DEFAULT_OAUTH));
  const name = quoteText(id.server);
  if (json === true)
    await writeJson(terminal, {
      server: id.server,
      ...(id.toolbox === undefined ? {} : { toolbox: id.toolbox }),
      status: isForgotten ? "signed-out" : "not-signed-in",
      isRevoked,
    });
  else if (isForgotten) {
    const there = isRevoked
      ? "Its authorization server has ended the sign-in, too."
      : "Its authorization server has not confirmed it: end the sign-in there, too.";
    await terminal.out(`${terminal.paint("green", "✓")} signed out of ${name}. ${there}\n`);
  } else terminal.err(`Nobody is signed in to ${name}.\n`);
  return isForgotten ? 0 : 1;
}
