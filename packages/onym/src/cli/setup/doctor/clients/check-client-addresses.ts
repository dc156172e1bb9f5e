// Clients that connect to Onym over HTTP: whether a gateway answers where they connect to, and whether it is one of the right config.

import { connect } from "node:net";
import type { Client } from "../../../../clients/client.js";
import type { Machine } from "../../../../clients/client-paths.js";
import { findClientFiles } from "../../../../clients/find-client.js";
import { DEMO_CONFIG, isDemoConfig } from "../../../../config/files/config-path.js";
import { onymAddressOf } from "../../../../config/files/onym-entry.js";
import { homeOf, userConfigFile } from "../../../../config/files/user-folders.js";
import type { RunningGateway } from "../../../../configured/running-addresses.js";
import { countMissing } from "../../../../control/count-missing.js";
import { realConfigPath } from "../../../../control/registration.js";
import { showPath } from "../../../../model/show-path.js";
import type { Check } from "../check.js";

const ANSWER_MS = 2_000;

export interface AddressInput {
  /** Absolute, of the config that is looked at; `undefined` where there is none. */
  readonly config: string | undefined;
  /** All that run for this user. */
  readonly gateways: readonly RunningGateway[];
}

export async function checkClientAddresses(machine: Machine, input: AddressInput): Promise<readonly Check[]> {
  const used = findClientFiles(machine).flatMap(({ client, read }) => {
    const servers = "reason" in read ? [] : (read.servers ?? []);
    return servers.flatMap(({ id, carried }) => {
      const url = "entry" in carried ? onymAddressOf(id, carried.entry) : undefined;
      return url === undefined ? [] : [{ client, url: new URL(url) }];
    });
  });
  const found = await Promise.all(used.map(({ client, url }) => checkAddress(client, url, machine, input)));
  return found.flatMap((check) => check ?? []);
}

/** `undefined` where nothing is wrong, as far as can be told. */
async function checkAddress(
  client: Client,
  url: URL,
  machine: Machine,
  { config, gateways }: AddressInput,
): Promise<Check | undefined> {
  const warn = (what: string, fix: string): Check => ({
    group: "Clients",
    name: client.id,
    status: "warning",
    message: `${client.title} connects to ${url.origin}, where ${what}.`,
    fix,
  });
  const own = `onym connect ${client.id} --stdio lets ${client.title} start its own.`;
  // The addresses are of this machine, so that the port tells which gateway is meant.
  const gateway = gateways.find((one) => portOf(new URL(one.url)) === portOf(url));
  if (gateway === undefined) {
    if (!(await isListening(url)))
      return warn("nothing runs", `Start it: onym serve, or onym service install. Or ${own}`);
    const missing = await countMissing(`${url.origin}/`);
    // An Onym of another user, or in a container, does not tell us its config.
    if (missing !== undefined) return undefined;
    return warn("another program answers", `Start Onym on another port and connect again. Or ${own}`);
  }
  // In a folder with a config of its own, clients are connected to the user's own config all the same.
  const right = [config, userConfigFile(machine)].flatMap((file) =>
    file === undefined ? [] : [realConfigPath(file)],
  );
  if (right.includes(realConfigPath(gateway.config))) return undefined;
  const whose = isDemoConfig(gateway.config)
    ? `${DEMO_CONFIG} runs`
    : `a gateway of another config runs (${showPath(gateway.config, machine.project, homeOf(machine))})`;
  return warn(whose, `Connect it again: onym connect ${client.id}.`);
}

function portOf(url: URL): string {
  return url.port || (url.protocol === "https:" ? "443" : "80");
}

function isListening(url: URL): Promise<boolean> {
  return new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, "");
    const socket = connect({ host, port: Number(portOf(url)), timeout: ANSWER_MS });
    const done = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once("connect", () => done(true));
    socket.once("error", () => done(false));
    socket.once("timeout", () => done(false));
  });
}
