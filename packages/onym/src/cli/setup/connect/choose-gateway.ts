// How the client is to reach Onym: over stdio or over HTTP, with the reason, and with a token where the config asks for one.

import { createHash, randomBytes } from "node:crypto";
import { quoteText } from "@onym/core";
import type { Client, GatewayAddress } from "../../../clients/client.js";
import { gatewayAddress, ownProgram } from "../../../clients/gateway-address.js";
import type { Config } from "../../../config/config.js";
import { isDemoConfig } from "../../../config/files/config-path.js";
import {
  type RunningGateway,
  runningAddresses,
  runningGateways,
} from "../../../configured/running-addresses.js";
import { LOCAL_PRINCIPAL } from "../../../model/auth-settings.js";
import { DEFAULT_PORT } from "../../../model/default-address.js";
import { showPath } from "../../../model/show-path.js";
import { programName } from "../../../output/package-folder.js";
import type { Terminal } from "../../../output/terminal.js";
import { usageError } from "../../usage-error.js";
import { isServiceOf } from "../service/service-files.js";

export interface GatewayChoice {
  readonly transport: "stdio" | "http";
  readonly address: GatewayAddress;
  /** In a sentence. */
  readonly reason: string;
  /** A token that the config is to know, by its digest. */
  readonly token: { readonly name: string; readonly hash: string } | undefined;
  /** Who the client calls as, for the policy of the config. */
  readonly caller: string;
}

export interface GatewayOptions {
  readonly stdio?: boolean;
  readonly http?: boolean;
  /** A gateway that runs elsewhere. */
  readonly url?: string;
  readonly alias: string;
  /** Absolute. */
  readonly config: string;
  /** What the client sends already, as `Authorization`. */
  readonly held?: string | undefined;
  /** As it will be; `undefined` for a gateway elsewhere. */
  readonly parsed: Config | undefined;
}

/** @throws OnymError `usage` where the client cannot do what is asked. */
export async function chooseGateway(
  client: Client,
  options: GatewayOptions,
  { env }: Terminal,
): Promise<GatewayChoice> {
  const { url, alias, config } = options;
  const profile = client.profile ?? client.id;
  const [running] = url === undefined ? await runningAddresses(config, env) : [];
  const machine = { platform: process.platform, env };
  const address = gatewayAddress({
    client: profile,
    alias,
    config,
    platform: machine.platform,
    origin: running?.origin,
    program: ownProgram(),
  });
  const can = (transport: "stdio" | "http"): boolean => client.entry?.[transport] !== undefined;
  if (url !== undefined) {
    const { ONYM_TOKEN: token } = env;
    const headers = token === undefined || token === "" ? {} : { headers: bearer(token) };
    const reason = "The gateway runs elsewhere.";
    return {
      transport: demand("http", client, can),
      reason,
      token: undefined,
      caller: LOCAL_PRINCIPAL,
      address: { ...address, ...headers, url: remoteUrl(url, profile, alias) },
    };
  }
  const isService = isServiceOf(config, machine);
  const wantsHttp =
    options.http === true || (options.stdio !== true && can("http") && (isService || !can("stdio")));
  if (!wantsHttp)
    return {
      transport: demand("stdio", client, can),
      reason: whyStdio(client, running?.origin),
      token: undefined,
      caller: LOCAL_PRINCIPAL,
      address,
    };
  if (running === undefined) refuseOthersAddress(client, address.url, await runningGateways(env));
  const reason = whyHttp(client, { origin: running?.origin, isService });
  const { token, caller, headers } = tokenFor(client, options);
  return {
    transport: demand("http", client, can),
    reason,
    token,
    caller,
    address: headers === undefined ? address : { ...address, headers },
  };
}

/**
 * Where no gateway of this config runs, another may have the usual port: the client would get its tools, not those of the user.
 *
 * @throws OnymError `usage`, with what to do.
 */
export function refuseOthersAddress(
  { title, entry }: Pick<Client, "title" | "entry">,
  url: string,
  gateways: readonly RunningGateway[],
): void {
  const { origin } = new URL(url);
  const other = gateways.find((one) => new URL(one.url).origin === origin);
  if (other === undefined) return;
  const isDemo = isDemoConfig(other.config);
  const who = isDemo ? "The bundled demo" : `A gateway of another config (${showPath(other.config)})`;
  const end = isDemo ? "the demo (Ctrl-C where it runs)" : "it";
  const leave = entry?.stdio === undefined ? "" : `With --stdio, ${title} starts Onym itself. `;
  throw usageError(
    `${who} runs at ${origin}: ${title} would get its tools, not yours.`,
    `${leave}To connect over HTTP, end ${end} and run onym serve, or run onym serve --port ${DEFAULT_PORT + 1} beside it, and then connect again.`,
  );
}

function whyStdio({ title, entry }: Client, origin: string | undefined): string {
  const now =
    origin === undefined || entry?.http === undefined
      ? ""
      : `, or connect it with --http to the gateway that runs at ${origin}, which must keep running then`;
  return (
    `${title} starts Onym itself: nothing has to run beforehand. Every client that does so has its own gateway ` +
    `and its own copies of the servers; to share one, run ${programName()} service install and connect again${now}.`
  );
}

/** A gateway in a terminal ends with it, and a client that connects to it has no tools then. */
function whyHttp(
  { title, entry }: Client,
  { origin, isService }: { readonly origin: string | undefined; readonly isService: boolean },
): string {
  const own = entry?.stdio === undefined ? "" : `; with --stdio, ${title} starts its own`;
  if (isService) return `Onym runs as a service, so ${title} connects to it${own}.`;
  if (origin === undefined)
    return `${title} connects to a gateway that you start and keep running: ${programName()} serve, or ${programName()} service install${own}.`;
  return (
    `A gateway of this config runs at ${origin}, so ${title} connects to it. It must keep running: ` +
    `onym service install keeps one in the background${own}.`
  );
}

function demand(
  transport: "stdio" | "http",
  { title }: Client,
  can: (transport: "stdio" | "http") => boolean,
): "stdio" | "http" {
  if (can(transport)) return transport;
  throw usageError(
    transport === "stdio" ? `${title} starts no servers.` : `${title} connects to no address.`,
    transport === "stdio" ? "Use --http." : "Use --stdio.",
  );
}

/** Where the config lets in only who has a token: the one that the client has, else a new one, which is in its file and nowhere else. */
function tokenFor(
  { id }: Client,
  { parsed, held }: GatewayOptions,
): Pick<GatewayChoice, "token" | "caller"> & { readonly headers?: Readonly<Record<string, string>> } {
  const tokens = parsed?.auth?.tokens;
  if (tokens === undefined) return { token: undefined, caller: LOCAL_PRINCIPAL };
  const [, before] = /^Bearer (.+)$/.exec(held ?? "") ?? [];
  const known = before === undefined ? undefined : tokens.find(({ hash }) => digestOf(before).endsWith(hash));
  if (before !== undefined && known !== undefined)
    return { token: undefined, caller: known.name, headers: bearer(before) };
  let name = id;
  for (let number = 2; tokens.some((one) => one.name === name); number++) name = `${id}-${number}`;
  const secret = `onym_${randomBytes(32).toString("base64url")}`;
  return { token: { name, hash: digestOf(secret) }, caller: name, headers: bearer(secret) };
}

function digestOf(token: string): string {
  return `sha256:${createHash("sha256").update(token).digest("hex")}`;
}

function bearer(token: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${token}` };
}

/** As it is given; where only a host is given, with the path of the profile. */
function remoteUrl(text: string, profile: string, alias: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw usageError(`${quoteText(text)} is not a valid HTTP address.`, "Write https://… or http://….");
  const url = new URL(text);
  if (url.pathname === "/" || url.pathname === "/mcp") url.pathname = `/mcp/${profile}`;
  if (alias !== "onym") url.searchParams.set("as", alias);
  return url.href;
}
