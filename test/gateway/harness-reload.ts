// A config that changes under a running Onym: written, and waited for until it is in force.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningOnym } from "./harness.js";

const IN_FORCE = "config in force";

export async function reloadConfig(onym: RunningOnym, config: object): Promise<void> {
  const times = onym.stderr().split(IN_FORCE).length;
  writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(config));
  await onym.said(new RegExp(`(${IN_FORCE}[^]*){${times}}`));
}
