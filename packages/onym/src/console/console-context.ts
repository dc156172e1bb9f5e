// What the console is made from: the running gateway, and what surrounds it.

import type { Lock } from "@onym/core";
import type { Config } from "../config/config.js";
import type { Environment } from "../config/json/expand-variables.js";
import type { GatewayStatus } from "../control/protocol.js";
import type { Gateway } from "../gateway/create-gateway.js";
import type { Log } from "../model/log.js";
import type { Store } from "../store/store.js";
import type { CallLog, LogTail } from "./call-log.js";
import type { Viewer } from "./viewer.js";

export interface ConsoleContext {
  readonly gateway: Gateway;
  readonly config: () => Config;
  /** Servers, toolboxes and problems, as `onym status` has them. */
  readonly status: () => GatewayStatus;
  /** `undefined` where nothing is kept. */
  readonly store: Store | undefined;
  /** The names on record as they are now. */
  readonly lock: () => Lock;
  readonly calls: CallLog;
  readonly tail: LogTail;
  /** Nothing can be changed here. */
  readonly isReadOnly: () => boolean;
  /** Where clients connect. */
  readonly url: () => string | undefined;
  readonly configFile: string;
  readonly env: Environment;
  readonly version: string;
  readonly now: () => number;
  readonly log: Log;
}

/** What is answered: a value, or why not. */
export type Answer<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly status: 400 | 403 | 404 | 409 | 503; readonly error: string };

export type { Viewer };
