// The server that somebody wants to sign in to or out of, and the place of its tokens.

import { quoteText } from "@onym/core";
import type { Config, ConfigServer } from "../config/config.js";
import { loadConfig } from "../config/load-config.js";
import { loadLaunches } from "../config/load-launches.js";
import { didYouMean } from "../config/near-text.js";
import type { DownstreamId } from "../downstream/downstream.js";
import { createGrantShelf, type GrantShelf } from "../oauth/grant-shelf.js";
import { keyPlaceOf, mayNeedSignIn, type SignInLaunch } from "./credential-source.js";
import { closeOnSignal } from "./live-signals.js";
import type { Terminal } from "./terminal.js";
import { usageError } from "./usage-error.js";
import { requireStore, storePlaceOf } from "./with-store.js";

export interface SignInServer {
  readonly id: DownstreamId;
  readonly launch: SignInLaunch;
  readonly shelf: GrantShelf;
}

export interface SignInServerOptions {
  readonly config?: string;
  readonly toolbox?: string;
}

/** @throws OnymError where there is no such server, none to sign in to, or no store. */
export async function withSignInServer<Result>(
  name: string,
  options: SignInServerOptions,
  terminal: Terminal,
  work: (server: SignInServer) => Promise<Result>,
): Promise<Result> {
  const { env, cwd } = terminal;
  const config = loadConfig({ file: options.config, env, cwd });
  const found = findServer(config, name, options.toolbox);
  const launch = loadLaunches(config, env).get(found);
  if (launch === undefined || !mayNeedSignIn(launch)) throw nothingToSignIn(name, launch?.kind);
  if (launch.oauth && launch.oauth.grant === "client_credentials")
    throw usageError(
      `${quoteText(name)} is signed in to by its client alone ("grant": "client_credentials").`,
      "There is nothing to do: the gateway gets its tokens itself.",
    );
  requireStore(config);
  const { openStore } = await import("../store/open-store.js");
  const store = await openStore({ location: storePlaceOf(config).location, folder: config.folder });
  const signals = closeOnSignal(() => store.close());
  const id = { server: found.source.server, toolbox: found.source.toolbox };
  try {
    const shelf = createGrantShelf(store.secrets, keyPlaceOf(config, env), { ...id, url: launch.url });
    return await work({ id, launch, shelf });
  } finally {
    await store.close();
    signals.release();
  }
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

function nothingToSignIn(name: string, kind: string | undefined): Error {
  if (kind === "http" || kind === "sse")
    return usageError(
      `The config says how to get into ${quoteText(name)} already, or that it is not signed in to.`,
      'Take "Authorization" out of its "headers", the user out of its "url", or "oauth": false out of its entry.',
    );
  return usageError(
    `${quoteText(name)} is not reached over HTTP, so there is nothing to sign in to.`,
    'What a server with a "command" needs stands in its "env".',
  );
}
