// Which callers may connect to the gateway over HTTP, for the config in force.

import { quoteText } from "@onym/core";
import type { Config } from "../../config/config.js";
import type { AuthConfig } from "../../config/sections/read-auth.js";
import { type Authenticator, createAuthenticator } from "../../gateway/auth/create-authenticator.js";
import type { Log } from "../../model/log.js";
import { OnymError } from "../../model/onym-error.js";
import { showNote } from "../../output/show-note.js";
import type { Terminal } from "../../output/terminal.js";

export interface Callers {
  readonly authenticator: Authenticator;
  /** Host names that clients use, from the config. */
  readonly hosts: readonly string[];
  /** Call with the URL once the gateway listens. */
  readonly listensOn: (url: string) => void;
  /** @throws OnymError if the config cannot authenticate callers on this address. */
  readonly check: (config: Config) => void;
  readonly adopt: (config: Config) => void;
  /** Calls `review` whenever access rules changed. */
  readonly onChange: (review: () => void) => void;
}

const LOOPBACK = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[?::1\]?)$/i;
const ANY_ADDRESS = /^(0\.0\.0\.0|\[?::\]?)$/;

export interface ServedAddress {
  readonly host: string;
  /** Anyone who can reach the address may call, because the operator said so. */
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
 * Off loopback, authentication is required unless a flag disables it (SAFE-7). Tokens of an authorization
 * server are meant for one address, and "all addresses" is none.
 */
function checkAddress(auth: AuthConfig | undefined, { host, allowUnauthenticated }: ServedAddress): void {
  if (auth === undefined) {
    if (LOOPBACK.test(host) || allowUnauthenticated === true) return;
    throw new OnymError(
      "config-invalid",
      `Onym does not listen on ${quoteText(host)} without authentication: everybody who can reach it could call every tool.`,
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

/** Warns at the start that others can reach and call the gateway. */
export function warnIfOpen(host: string, { auth }: Config, terminal: Terminal): void {
  if (auth !== undefined || LOOPBACK.test(host)) return;
  showNote(
    `WARNING: anybody who can reach ${quoteText(host)} can call every tool here, because the config has no "auth" and ` +
      "--allow-unauthenticated was given.",
    terminal,
  );
}
