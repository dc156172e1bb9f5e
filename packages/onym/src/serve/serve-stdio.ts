// The gateway on stdin and stdout, until its client disconnects or it is asked to stop.

import type { Config } from "../config/config.js";
import type { Gateway } from "../gateway/create-gateway.js";
import { createStdioEdge } from "../gateway/stdio/create-stdio-edge.js";
import { showNote } from "../output/show-note.js";
import { type LogOutput, sayClosing } from "./log-output.js";
import { edgeLimitsOf } from "./serve-http.js";

export interface StdioService {
  readonly gateway: Gateway;
  readonly config: Config;
  /** What the command line says of the client. */
  readonly hints: { readonly profile?: string; readonly as?: string };
  readonly output: LogOutput;
  /** Resolves when it should stop. */
  readonly stopRequested: Promise<void>;
}

export async function serveStdio({
  gateway,
  config,
  hints,
  output,
  stopRequested,
}: StdioService): Promise<void> {
  const { log, terminal } = output;
  const { stdin } = terminal;
  if ("isTTY" in stdin && stdin.isTTY === true)
    showNote("waiting for an MCP client on standard input; Ctrl+C ends it.", terminal);
  const edge = createStdioEdge({
    router: gateway.router,
    input: stdin,
    output: process.stdout,
    limits: edgeLimitsOf(config),
    log,
    hints: { profile: hints.profile, as: hints.as },
  });
  let closing: Promise<void> | undefined;
  const closeGateway = (): Promise<void> => {
    closing ??= gateway.close();
    return closing;
  };
  // Accepts nothing new, and answers requests in flight first.
  const finish = async (): Promise<void> => {
    output.say(sayClosing(config.limits.drainMs));
    edge.drain();
    await closeGateway();
    await edge.close();
  };
  void stopRequested.then(finish);
  await edge.closed;
  await closeGateway();
}
