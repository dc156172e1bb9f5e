// Who may connect to the gateway over HTTP, for each config that is in force.

import { OnymError, quoteText } from "@onym/core";
import { showNote } from "../../cli/catalog/open-snapshot.js";
import type { Terminal } from "../../cli/terminal.js";
import type { Config } from "../../config/config.js";
import type { AuthConfig } from "../../config/sections/auth-config.js";
import { type Authenticator, createAuthenticator } from "../../gateway/auth/create-authenticator.js";
import type { Log } from "../../model/log.js";

export interface Callers {
  readonly authenticator: Authenticator;
  /** Host names that clients use, by the config. */
  readonly hosts: readonly string[];
  /** The address that the gateway listens on, once it does. */
  readonly listensOn: (url: string) => void;
  /** @throws OnymError where the callers of a config could not be told apart here. */
  readonly check: (config: Config) => void;
  readonly adopt: (config: Config) => void;
  /** Called whenever others may connect than before. */
  readonly onChange: (review: () => void) => void;
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i;
const ANY_ADDRESS = /^(0\.0\.0\.0|\[?::\]?)$/;

export interface ServedAddress {
  readonly host: string;
  /** Everybody who can reach the address may call, because the operator said so. */
  readonly allowUnauthenticated?: boolean;
}

export function openCallers({ auth }: Config, listening: ServedAddress, log: Log): Callers {
  const { host } = listening;
  let url = `http://${host}/mcp`;
  let inForce = auth;
  let review = (): void => {};
  checkAddress(auth, listening);
  const authenticator = createAuthenticator({
    settings: auth,
    resource: () => inForce?.url ?? url,
    log,
    now: Date.now,
  });
  return {
    authenticator,
    hosts: auth?.url === undefined ? [] : [new URL(auth.url).hostname],
    listensOn(address) {
      url = address;
    },
    check: (config) => checkAddress(config.auth, listening),
    adopt(config) {
      inForce = config.auth;
      authenticator.adopt(inForce);
      review();
    },
    onChange(listener) {
      review = listener;
    },
  };
}

/**
 * Off loopback nobody is served without authentication, unless a flag says so (SAFE-7). Tokens of an authorization server
 * are meant for one address, and "all addresses" is none.
 */
function checkAddress(auth: AuthConfig | undefined, { host, allowUnauthenticated }: ServedAddress): void {
  if (auth === undefined) {
    if (LOOPBACK.test(host) || allowUnauthenticated === true) return;
    throw new OnymError(
      "config-invalid",
      `Onym does not listen on ${quoteText(host)} without authentication: whoever can reach it could call every tool.`,
      'Run onym token NAME and add what it prints to "auth" in the config, or listen on 127.0.0.1. Where something else ' +
        "decides who can reach it (a container's published port, a proxy that signs people in), say " +
        "--allow-unauthenticated.",
    );
  }
  if (auth.oauth.length === 0 || auth.url !== undefined || !ANY_ADDRESS.test(host)) return;
  throw new OnymError(
    "config-invalid",
    `With "auth.oauth" on ${host}, Onym cannot know the address for which tokens must be meant.`,
    'Add "url" to "auth": the address that clients use, such as https://onym.example.com/mcp.',
  );
}

/** Said at the start: what is reachable by others is theirs to call. */
export function warnIfOpen(host: string, { auth }: Config, terminal: Terminal): void {
  if (auth !== undefined || LOOPBACK.test(host)) return;
  showNote(
    `WARNING: anybody who can reach ${quoteText(host)} can call every tool here, because the config has no "auth" and ` +
      "--allow-unauthenticated was given.",
    terminal,
  );
}
