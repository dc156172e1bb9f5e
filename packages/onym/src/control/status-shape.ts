// Whether an answer is the status of a gateway. Anything may listen where a gateway did, so every member is checked.

import { isJsonObject } from "../mcp/json.js";
import { isListProblem } from "../model/list-problem.js";
import type { GatewayActivity, GatewayStatus, ServerStatus } from "./protocol.js";

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === "string";
const isNumber: Check = (value) => typeof value === "number";
const isBoolean: Check = (value) => typeof value === "boolean";
const isUrl: Check = (value) => typeof value === "string" && URL.canParse(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const oneOf =
  <Word extends string>(...words: readonly Word[]): Check =>
  (value) =>
    words.some((word) => word === value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** A check for every member of a type, so that none is forgotten. */
function shapeOf<Shape>(checks: Readonly<Record<keyof Required<Shape>, Check>>): Check {
  const all = Object.entries<Check>(checks);
  return (value) => isJsonObject(value) && all.every(([name, check]) => check(value[name]));
}

const isServer = shapeOf<ServerStatus>({
  server: isText,
  toolbox: optional(isText),
  state: oneOf<ServerStatus["state"]>("static", "closed", "starting", "ready", "unhealthy", "failed"),
  since: isNumber,
  restarts: optional(isNumber),
  isListed: isBoolean,
  toolCount: isNumber,
  reason: optional(isText),
  hint: optional(isText),
  needsSignIn: optional(isBoolean),
  serverVersion: optional(isText),
  listProblems: listOf(isListProblem),
});

const isActivity = shapeOf<GatewayActivity>({
  calls: shapeOf<GatewayActivity["calls"]>({ total: isNumber, errors: isNumber, refused: isNumber }),
  inFlight: isNumber,
  clients: listOf(
    shapeOf<GatewayActivity["clients"][number]>({
      client: isText,
      principal: isText,
      profile: isText,
      idleMs: optional(isNumber),
    }),
  ),
  approvalsWaiting: optional(isNumber),
  recordsWaiting: isNumber,
  store: shapeOf<GatewayActivity["store"]>({
    engine: oneOf<GatewayActivity["store"]["engine"]>("none", "sqlite", "postgres"),
    trouble: optional(isText),
  }),
  lock: shapeOf<GatewayActivity["lock"]>({ names: isNumber, kept: isNumber }),
});

const isWhole = shapeOf<GatewayStatus>({
  pid: isNumber,
  version: isText,
  config: isText,
  transport: oneOf<GatewayStatus["transport"]>("stdio", "http"),
  url: optional(isUrl),
  startedAt: isNumber,
  mode: oneOf<GatewayStatus["mode"]>("static", "dynamic", "proxy"),
  servers: listOf(isServer),
  toolboxes: listOf(shapeOf<GatewayStatus["toolboxes"][number]>({ id: isText, isOpen: isBoolean })),
  problems: listOf(
    shapeOf<GatewayStatus["problems"][number]>({ code: isText, severity: isText, message: isText }),
  ),
  problemCount: isNumber,
  activity: optional(isActivity),
  console: optional(isUrl),
});

export function isStatus(value: unknown): value is GatewayStatus {
  return isWhole(value);
}
