// How a client reaches Onym: the command that starts it, and the address where it listens.

import { DEFAULT_ALIAS } from "@onym/core/naming";
import { DEFAULT_HOST, DEFAULT_PORT } from "../../default-address.js";
import type { GatewayAddress } from "./client.js";
import { PUBLISHED } from "./own-program.js";

/** What stands for the host of a gateway that others can reach. */
const SOMEWHERE = "https://YOUR-HOST";

/** `config` is absolute: clients start commands in folders of their own choosing. */
export function gatewayAddress(input: {
  readonly client: string;
  readonly alias: string;
  readonly config: string;
  readonly platform: NodeJS.Platform;
  /** Where a gateway of this config listens now; else where it would. */
  readonly origin?: string | undefined;
  /** The words that start Onym. */
  readonly program?: readonly string[];
}): GatewayAddress {
  const { client, alias, config, platform, program = PUBLISHED } = input;
  const isOwn = alias !== DEFAULT_ALIAS;
  const serve = ["serve", "--stdio", "--config", config, ...(isOwn ? ["--as", alias] : [])];
  const path = `/mcp/${client}${isOwn ? `?as=${encodeURIComponent(alias)}` : ""}`;
  // npx is a script on Windows, and programs start scripts there only through cmd.
  const isScript = platform === "win32" && program[0] === "npx";
  const [command = "", ...args] = [...(isScript ? ["cmd", "/c"] : []), ...program, ...serve];
  return {
    alias,
    command,
    args,
    url: `${input.origin ?? `http://${DEFAULT_HOST}:${DEFAULT_PORT}`}${path}`,
    publicUrl: SOMEWHERE + path,
  };
}
