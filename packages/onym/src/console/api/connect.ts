// Connect: how to register this gateway in each client, exactly.

import { DEFAULT_ALIAS } from "@onym/core/naming";
import { type Client, remarkOf, type Way, waysToRegister } from "../../clients/client.js";
import { resolveFile } from "../../clients/client-paths.js";
import { CLIENTS } from "../../clients/find-client.js";
import { gatewayAddress, ownProgram } from "../../clients/gateway-address.js";
import { isDemoConfig } from "../../config/files/config-path.js";
import { userConfigFile } from "../../config/files/user-folders.js";
import { installedName } from "../../output/package-folder.js";
import { shellWord } from "../../output/wording.js";
import type { ConsoleContext } from "../console-context.js";

export interface ConnectReport {
  readonly as: string;
  /** A client needs a token. */
  readonly needsToken: boolean;
  /** It serves the bundled demo, which ends with it and which nobody else can start. */
  readonly isDemo: boolean;
  readonly clients: readonly {
    readonly id: string;
    readonly title: string;
    readonly remark?: string;
    /** What writes the registration, where Onym knows the client's file; of the demo, what connects the user's own servers. */
    readonly command?: string;
    /** Of a service on the web: what it takes to connect it, as it cannot reach this machine. */
    readonly needs?: string;
    readonly ways: readonly Way[];
  }[];
}

/** Stands where a token belongs: the gateway keeps digests only. */
const TOKEN = { headers: { Authorization: "Bearer TOKEN" } };

export function readConnect({
  config,
  url,
  configFile,
  env,
}: Pick<ConsoleContext, "config" | "url" | "configFile" | "env">): ConnectReport {
  const { naming, auth, folder } = config();
  const alias = naming.as ?? DEFAULT_ALIAS;
  const { platform } = process;
  const address = url();
  const origin = address === undefined ? undefined : new URL(address).origin;
  const machine = { platform, env, project: folder };
  const isDemo = isDemoConfig(configFile);
  // The command goes by the user's own config, unless it is told another one.
  const named = isDemo || configFile === userConfigFile(machine) ? "" : ` --config ${shellWord(configFile)}`;
  return {
    as: alias,
    needsToken: auth !== undefined,
    isDemo,
    clients: CLIENTS.filter(({ retired }) => retired === undefined).map((client) => {
      const gateway = gatewayAddress({
        client: client.profile ?? client.id,
        alias,
        config: configFile,
        platform,
        origin,
        program: ownProgram(),
      });
      const transport = isDemo || client.entry?.http === undefined ? "" : " --http";
      const ways = waysToRegister(client, auth === undefined ? gateway : { ...gateway, ...TOKEN });
      const remark = remarkOf(client, { alias, file: undefined });
      const isHosted = (way: Way): boolean => way.text.includes(gateway.publicUrl);
      return {
        id: client.id,
        title: client.title,
        ...(remark === undefined ? {} : { remark }),
        ...(client.files.length === 0
          ? {}
          : { command: `${installedName()} connect ${client.id}${transport}${named}` }),
        ...(ways.some(isHosted) ? { needs: isDemo ? demoNeeds(client) : hostedNeeds(client) } : {}),
        ways: ways
          .filter((way) => !isDemo || (way.transport === "http" && !isHosted(way)))
          .map((way) => {
            const file = way.kind === "write" ? client.files[0] : undefined;
            return file === undefined ? way : { ...way, where: resolveFile(file, machine) };
          }),
      };
    }),
  };
}

// A service on the web reaches only what is on the web.

function hostedNeeds({ title }: Client): string {
  return `${title} runs on the web and cannot reach this machine. Put the gateway behind a public https address and ask callers for a token, as docs/deploy.md shows; then write that address in place of YOUR-HOST.`;
}

function demoNeeds({ title }: Client): string {
  return `${title} runs on the web and cannot reach this demo. It needs a gateway of your own behind a public https address, with a token; docs/deploy.md shows how. Try the demo with a client on this machine.`;
}
