// Whether the gateway's address is free, and if it is not, whether it is Onym that answers there.

import { createServer } from "node:net";
import { DEMO_CONFIG, isDemoConfig } from "../../../config/files/config-path.js";
import { countMissing } from "../../../control/count-missing.js";
import { showPath } from "../../../model/show-path.js";
import type { Check } from "./check.js";

export async function checkPort({
  host,
  port,
  isOwn,
  config,
}: {
  readonly host: string;
  readonly port: number;
  /** A gateway of the config at hand listens there. */
  readonly isOwn: boolean;
  /** Of another gateway that listens there, as far as it is known. */
  readonly config?: string | undefined;
}): Promise<Check> {
  const about = { group: "Gateway", name: `${host}:${port}` } as const;
  const failure = await tryListening(host, port);
  if (failure === undefined) return { ...about, status: "ok", message: "free for onym serve" };
  if (failure !== "EADDRINUSE") {
    const message = `Onym could not listen there (${failure}).`;
    return {
      ...about,
      status: "warning",
      message,
      fix: "Choose another address with onym serve --host or --port.",
    };
  }
  const missing = await countMissing(`http://${host}:${port}/`);
  if (missing === undefined) {
    const fix = "End that program, or choose another port: onym serve --port 0 picks a free one.";
    return { ...about, status: "warning", message: "Another program has the port.", fix };
  }
  if (!isOwn) {
    const fix = "onym serve --port 0 picks a free port for this one.";
    if (config !== undefined && isDemoConfig(config))
      return { ...about, status: "ok", message: `${DEMO_CONFIG} answers there; end it before onym serve` };
    const message = `An Onym with another config answers there${config === undefined ? "" : ` (${showPath(config)})`}.`;
    return { ...about, status: "warning", message, fix };
  }
  if (missing === 0) return { ...about, status: "ok", message: "Onym answers there" };
  const message = `Onym answers there, without ${missing} of its servers.`;
  return { ...about, status: "warning", message, fix: "Its log says why; so does Servers above." };
}

/** The code of the failure; `undefined` where it works. */
function tryListening(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? "unknown"));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}
