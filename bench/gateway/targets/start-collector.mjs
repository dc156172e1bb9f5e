// The collector of spans, for all targets that trace: started once, before anything is measured.

import { fileURLToPath } from "node:url";
import { startProcess } from "./start-process.mjs";

const PROGRAM = fileURLToPath(new URL("../servers/collector.mjs", import.meta.url));
let started;

export function startCollector() {
  started ??= startProcess({ args: [PROGRAM], ready: /listening on (\S+)/ }).then(({ match: [, url] }) => ({
    url,
    count: async () => Number(await (await fetch(url)).text()),
  }));
  return started;
}
