// Whether a server of a config is Onym with that same config: started, it would start itself without end.

import { basename, resolve } from "node:path";
import type { Launch } from "../../model/launch.js";
import type { Config, ConfigServer } from "../config.js";
import { configArgument, startsOnym } from "../files/onym-entry.js";

/** An Onym with another config may well be a server. Without one it reads what is in its folder. */
export function leadsBack(
  { source }: Pick<ConfigServer, "source">,
  launch: Launch,
  { file, folder }: Pick<Config, "file" | "folder">,
): boolean {
  if (launch.kind === "static" || launch.kind === "unusable") return false;
  if (launch.kind !== "stdio") return startsOnym(source.server, { url: launch.url });
  const { command, args, cwd } = launch;
  if (!startsOnym(source.server, { command, args })) return false;
  const other = configArgument(args);
  return other === undefined || resolve(cwd, other) === resolve(folder, basename(file));
}
