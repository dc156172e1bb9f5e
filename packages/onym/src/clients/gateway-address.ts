// How a client reaches Onym: the command that starts it, and the address where it listens.

import { fileURLToPath } from "node:url";
import { DEFAULT_ALIAS } from "@onym/core/naming";
import { DEFAULT_HOST, DEFAULT_PORT } from "../model/default-address.js";
import { encodeUriText } from "../model/encode-text.js";
import { PACKAGE_FOLDER } from "../output/package-folder.js";
import type { GatewayAddress } from "./client.js";

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
  const path = `/mcp/${client}${isOwn ? `?as=${encodeUriText(alias)}` : ""}`;
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

// The words that start this Onym: from its package, or where it runs from a checkout, from there.

/** The package as everybody gets it. */
const PUBLISHED: readonly string[] = ["npx", "-y", "onym"];

/**
 * What a client can start. A checkout may be of a version that nobody has published.
 *
 * @param folder The address of the package's folder.
 */
export function detectProgram(folder: URL): readonly string[] {
  const file = fileURLToPath(new URL("bin/onym.js", folder));
  return /[\\/]node_modules[\\/]/.test(file) ? PUBLISHED : ["node", file];
}

export function ownProgram(): readonly string[] {
  return detectProgram(PACKAGE_FOLDER);
}
