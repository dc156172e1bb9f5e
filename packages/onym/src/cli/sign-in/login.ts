// onym login: signs in to a server in a browser, and keeps the tokens, encrypted, for every gateway on this store.

import { escapeText, quoteText } from "@onym/core";
import { InvalidArgumentError } from "commander";
import { DEFAULT_OAUTH } from "../../configured/credential-source.js";
import { OnymError } from "../../model/onym-error.js";
import { signInError } from "../../oauth/protocol/check-address.js";
import type { ExitCode } from "../../output/show-error.js";
import { showError } from "../../output/show-error.js";
import { type Terminal, writeJson } from "../../output/terminal.js";
import type { DefineCommand } from "../command.js";
import { addJsonOption } from "../options.js";
import { type SignInServer, type SignInServerOptions, withSignInServer } from "./sign-in-server.js";

interface LoginOptions extends SignInServerOptions {
  readonly json?: boolean;
  readonly timeout: number;
  readonly scope?: readonly string[];
}

const DEFAULT_SECONDS = 300;

export const defineLogin: DefineCommand = (command, { terminal, run }) => {
  command
    .argument("<server>", "the id of a server with a url in the config")
    .option("--toolbox <id>", "the toolbox it is in, where several have one of that id")
    .option("--scope <scope...>", "what to ask for beside the usual, and beside what was given before")
    .option("--timeout <seconds>", "how long to wait for somebody to sign in", readSeconds, DEFAULT_SECONDS)
    .option(
      "-c, --config <file>",
      "the config to read (default: onym.json, else a client's file here, else your own)",
    );
  addJsonOption(command)
    .addHelpText(
      "after",
      "\nExamples:\n  onym login linear\n  onym login crm --toolbox sales\n\n" +
        "Prints an address to open in a browser on this machine, and waits. The tokens are\n" +
        "kept in the store, encrypted; a running gateway takes them up by itself.\n" +
        "The key is ONYM_SECRET_KEY, else secret.key in your state folder (~/.local/state/onym on Linux).",
    )
    .action((name: string, options: LoginOptions) =>
      run(async () => {
        try {
          return await withSignInServer(name, { ...options, way: "in" }, terminal, (server) =>
            login(server, options, terminal),
          );
        } catch (error) {
          // The setup is right; the authorization server or the user refused.
          if (!(error instanceof OnymError) || error.code !== "sign-in-failed") throw error;
          showError(error, terminal);
          return 1;
        }
      }),
    );
};

async function login(
  { id, launch, shelf: grants }: SignInServer,
  { json, timeout, scope: more = [] }: LoginOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const settings = launch.oauth || DEFAULT_OAUTH;
  const name = quoteText(id.server);
  const kept = await grants.read();
  // What cannot be read may be somebody's only way in: it is not written over.
  if (kept.kind === "unreadable") throw signInError(`${name}: ${kept.reason}.`, kept.hint);
  grants.checkKey();
  const { signIn } = await import("../../oauth/sign-in.js");
  const grant = await signIn({
    url: new URL(launch.url),
    settings,
    more: more.flatMap((each) => each.split(/\s+/)).filter((each) => each !== ""),
    kept: kept.kind === "grant" ? kept.grant : undefined,
    waitMs: timeout * 1000,
    now: Date.now,
    onAddress: (address) => {
      const text = `Open this address in a browser on this machine, to sign in to ${name}:\n\n  ${address}\n\nWaiting for ${timeout} s; Ctrl+C ends it.\n`;
      if (json === true) terminal.err(text);
      else void terminal.out(text);
    },
  });
  await grants.write(grant);
  const { issuer, scope, tokens } = grant;
  const expiresAt = tokens?.expiresAt;
  const isRenewable = tokens?.refresh !== undefined;
  if (json === true)
    await writeJson(terminal, {
      server: id.server,
      ...(id.toolbox === undefined ? {} : { toolbox: id.toolbox }),
      status: "signed-in",
      issuer,
      ...(scope === undefined ? {} : { scope }),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
      isRenewable,
    });
  else {
    const until = expiresAt === undefined ? "" : ` until ${new Date(expiresAt).toISOString()}`;
    const lasting = isRenewable ? "It is renewed by itself." : `It cannot be renewed, and holds${until}.`;
    await terminal.out(
      `${terminal.paint("green", "✓")} signed in to ${name} by ${escapeText(issuer)}. ${lasting}\n` +
        "A gateway that runs takes it up by itself.\n",
    );
  }
  return 0;
}

function readSeconds(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Write whole seconds, from 1 to 99999.");
}
