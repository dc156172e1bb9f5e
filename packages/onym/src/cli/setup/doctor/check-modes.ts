// Whether other users of this machine can read the key or change the config (SAFE-7).

import { findOpenFiles } from "../../../configured/find-risks.js";
import type { Check } from "./check.js";

export function checkModes(files: Parameters<typeof findOpenFiles>[0]): readonly Check[] {
  return findOpenFiles(files).map((risk) => ({
    group: "Onym",
    name: "file modes",
    status: "warning",
    ...risk,
  }));
}
