// The console of a gateway that serves HTTP: what it observes from the start, and how it is opened (CON-1).

import type { Lock } from "@onym/core";
import { configPath } from "../../config/files/config-path.js";
import type { Environment } from "../../config/json/expand-variables.js";
import { type CallLog, createCallLog, createLogTail, type LogTail } from "../../console/call-log.js";
import { type Console, createConsole } from "../../console/create-console.js";
import { createConsoleSessions } from "../../console/viewer.js";
import type { Downstream } from "../../downstream/downstream.js";
import type { Authenticator } from "../../gateway/auth/create-authenticator.js";
import type { Gateway } from "../../gateway/create-gateway.js";
import type { EdgeCallers } from "../../gateway/http/create-http-edge.js";
import type { Log } from "../../model/log.js";
import type { Store } from "../../store/store.js";
import type { InForce } from "../describe-gateway.js";
import { readStatus } from "../serve-control.js";

/** Created before the gateway, so that no event is missed. */
export interface ConsoleFeed {
  readonly calls: CallLog;
  readonly tail: LogTail;
}

export function createConsoleFeed(log: Log): ConsoleFeed {
  return { calls: createCallLog(Date.now), tail: createLogTail(log, Date.now) };
}

export interface ServedConsole {
  readonly open: (allow: readonly string[], callers: EdgeCallers) => Console;
  /** Signs in the first browser that opens it. */
  readonly link: (url: string) => string;
}

export interface ServeConsoleOptions {
  readonly gateway: Gateway;
  readonly inForce: () => InForce;
  readonly url: () => string | undefined;
  readonly since: (downstream: Downstream) => number | undefined;
  readonly restarts: (downstream: Downstream) => number;
  readonly startedAt: number;
  readonly version: string;
  readonly env: Environment;
  readonly store: Store | undefined;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  /** The lock as it is now; the snapshot holds the one it was built with. */
  readonly lock: () => Lock;
  readonly log: Log;
}

export function openServeConsole(feed: ConsoleFeed, options: ServeConsoleOptions): ServedConsole {
  const { gateway, inForce, url, since, restarts, startedAt, version, env, store, lock, log } = options;
  const sessions = createConsoleSessions(Date.now);
  return {
    open: (allow, callers) =>
      createConsole({
        allow,
        callers,
        isOn: () => inForce().config.console !== "off",
        sessions,
        authenticator: options.authenticator,
        context: {
          gateway,
          config: () => inForce().config,
          status: () =>
            readStatus({ gateway, inForce, url, since, restarts, startedAt, version, transport: "http" }),
          store,
          lock,
          ...feed,
          isReadOnly: () => inForce().config.console === "read-only",
          url,
          configFile: configPath(inForce().config),
          env,
          version,
          now: Date.now,
          log,
        },
      }),
    // In the fragment: it is never sent, so no proxy logs it.
    link: (address) => `${new URL("/", address).href}#key=${sessions.issueKey()}`,
  };
}
