// The server that somebody wants to sign in to or out of, and the place of its tokens.

import { quoteText } from "@onym/core";
import type { Config, ConfigServer } from "../../config/config.js";
import { didYouMean } from "../../config/json/near-text.js";
import { loadLaunches } from "../../config/launches/load-launches.js";
import { loadConfig } from "../../config/load-config.js";
import { keyPlaceOf, mayNeedSignIn, type SignInLaunch } from "../../configured/credential-source.js";
import { requireStore, storePlaceOf } from "../../configured/store-place.js";
import type { DownstreamId } from "../../downstream/downstream.js";
import type { Launch } from "../../model/launch.js";
import { OnymError } from "../../model/onym-error.js";
import { createGrantStore, type GrantStore, type Secrets } from "../../oauth/grant-store.js";
import type { Terminal } from "../../output/terminal.js";
import { closeOnSignal } from "../catalog/live-servers.js";
import { usageError } from "../usage-error.js";

export interface SignInServer {
  readonly id: DownstreamId;
  readonly launch: SignInLaunch;
  readonly shelf: GrantStore;
}

export interface SignInServerOptions {
  readonly config?: string;
  readonly toolbox?: string;
}

/** Where there is no store; to sign out makes none. */
const NOTHING_KEPT: Secrets = {
  read: async () => undefined,
  write: async () => {},
  swap: async () => false,
  remove: async () => {},
};

/** @throws OnymError where there is no such server, none to sign in to, or no store. */
export async function withSignInServer<Result>(
  name: string,
  options: SignInServerOptions & { readonly way: "in" | "out" },
  terminal: Terminal,
  work: (server: SignInServer) => Promise<Result>,
): Promise<Result> {
  const { env, cwd } = terminal;
  const config = loadConfig({ file: options.config, env, cwd });
  const found = findServer(config, name, options.toolbox);
  const launches = loadLaunches(config, env);
  const launch = launches.get(found);
  if (launch === undefined || !mayNeedSignIn(launch)) throw nothingToSignIn(name, launch, launches);
  if (isClientAlone(launch))
    throw usageError(
      `${quoteText(name)} is signed in to by its client alone ("grant": "client_credentials").`,
      "There is nothing to do: the gateway gets its tokens itself.",
    );
  requireStore(config);
  const { location, isMissing } = storePlaceOf(config);
  const { openStore } = await import("../../store/open-store.js");
  const isNeeded = options.way === "in" || !isMissing;
  const store = isNeeded ? await openStore({ location, folder: config.folder }) : undefined;
  const signals = closeOnSignal(async () => store?.close());
  const id = { server: found.source.server, toolbox: found.source.toolbox };
  try {
    const grants = createGrantStore(store?.secrets ?? NOTHING_KEPT, keyPlaceOf(config, env), {
      ...id,
      url: launch.url,
    });
    return await work({ id, launch, shelf: grants });
  } finally {
    await store?.close();
    signals.release();
  }
}

function isClientAlone({ oauth }: SignInLaunch): boolean {
  return oauth !== undefined && oauth !== false && oauth.grant === "client_credentials";
}

function findServer(config: Config, name: string, toolbox: string | undefined): ConfigServer {
  const named = config.servers.filter(({ source }) => source.server === name);
  const found = toolbox === undefined ? named : named.filter(({ source }) => source.toolbox === toolbox);
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first;
  if (first !== undefined && toolbox === undefined) {
    const top = found.find(({ source }) => source.toolbox === undefined);
    if (top !== undefined) return top;
    const boxes = found.map(({ source }) => quoteText(source.toolbox ?? "")).join(", ");
    throw usageError(
      `There are several servers ${quoteText(name)}, in the toolboxes ${boxes}.`,
      "Say which with --toolbox.",
    );
  }
  const where = toolbox === undefined ? "" : ` in the toolbox ${quoteText(toolbox)}`;
  const ids = config.servers.map(({ source }) => source.server);
  throw usageError(
    `There is no server ${quoteText(name)}${where} in the config.`,
    `${didYouMean(name, ids)}onym doctor shows them all.`,
  );
}

function nothingToSignIn(
  name: string,
  launch: Launch | undefined,
  launches: ReadonlyMap<ConfigServer, Launch>,
): Error {
  const id = quoteText(name);
  if (launch?.kind === "http" || launch?.kind === "sse") {
    if (launch.oauth === false)
      return usageError(
        `The config says that nobody signs in to ${id}.`,
        'If it wants a sign-in, take "oauth": false out of its entry.',
      );
    return usageError(
      `The config has the credentials of ${id} already, so nobody signs in to it.`,
      'To sign in instead, take "Authorization" out of its "headers", and the user out of its "url".',
    );
  }
  if (launch?.kind === "unusable")
    return new OnymError("server-unusable", `${id} cannot be signed in to: ${launch.reason}.`, launch.hint);
  const others = [...launches]
    .filter(([, each]) => mayNeedSignIn(each) && !isClientAlone(each))
    .map(([{ source }]) => quoteText(source.server));
  const which = others.length === 0 ? "The config has none." : `In the config: ${others.join(", ")}.`;
  return usageError(
    launch?.kind === "stdio"
      ? `${id} is started by its "command", so nobody signs in to it; what it needs goes into its "env".`
      : `${id} is a list of tools in the config, so nobody signs in to it.`,
    `Only servers with a "url" are signed in to. ${which}`,
  );
}
