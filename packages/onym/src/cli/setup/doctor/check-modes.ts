// Whether other users of this machine can read the key or change the config (SAFE-7).

import type { Check } from "./check.js";
import { findOpenFiles } from "./find-risks.js";

export function checkModes(files: Parameters<typeof findOpenFiles>[0]): readonly Check[] {
  return findOpenFiles(files).map((risk) => ({
    group: "Onym",
    name: "file modes",
    status: "warning",
    ...risk,
  }));
}
