// What a command may ask a running gateway, and what it is answered: JSON, one object a line, in a numbered protocol.

import type { JsonObject } from "../mcp/json.js";

/** Raised when an older program would misread what is said. A program that meets another number asks nothing. */
export const PROTOCOL = 1;

/** A request is a few words. */
export const MAX_REQUEST_BYTES = 4_096;
/** One line of an answer: some tools of one server. */
export const MAX_LINE_BYTES = 64 * 1_048_576;
/** All lines of an answer together. */
export const MAX_ANSWER_BYTES = 512 * 1_048_576;

export interface ControlRequest {
  readonly onym: typeof PROTOCOL;
  /** From the registration, which only the user that runs the gateway can read. */
  readonly token: string;
  readonly ask: ControlAsk;
}

export type ControlAsk = "status" | "catalog";

/** A running gateway. Moments are ms since 1970. */
export interface GatewayStatus {
  readonly pid: number;
  /** Of the program. */
  readonly version: string;
  /** The config file it was started with. */
  readonly config: string;
  readonly transport: GatewayTransport;
  /** Where clients connect, over HTTP. */
  readonly url?: string;
  readonly startedAt: number;
  readonly mode: "static" | "dynamic" | "proxy";
  /** In the order of the config; those in toolboxes that nobody opened are `closed`. */
  readonly servers: readonly ServerStatus[];
  readonly toolboxes: readonly { readonly id: string; readonly isOpen: boolean }[];
  /** Of names and servers, the first of them; `problemCount` counts all. */
  readonly problems: readonly GatewayProblem[];
  readonly problemCount: number;
}

export type GatewayTransport = "stdio" | "http";

export interface ServerStatus {
  readonly server: string;
  readonly toolbox?: string;
  /** `unhealthy`: connected and listed, but its last requests failed, and calls are refused for now. */
  readonly state: "static" | "closed" | "starting" | "ready" | "unhealthy" | "failed";
  /** Of this state. */
  readonly since: number;
  /** Its tools are in the lists that callers get, also for a moment while it is down. */
  readonly isListed: boolean;
  /** How many it lists, before filters. */
  readonly toolCount: number;
  /** Why it failed and what to do, for people: escaped, no secrets. */
  readonly reason?: string;
  readonly hint?: string;
  /** What it announced. */
  readonly serverVersion?: string;
  /** What was left out of its lists, and why. */
  readonly listProblems: readonly string[];
}

interface GatewayProblem {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/** The status, and the tools of each of its servers as they were listed; none where `isListed` is not set. */
export interface GatewayCatalog {
  readonly status: GatewayStatus;
  readonly tools: readonly (readonly JsonObject[])[];
}

/** The lines of an answer, in this order: the status; for a catalog, tools of a server by its position; the end. */
export type AnswerLine =
  | { readonly onym: typeof PROTOCOL; readonly status: GatewayStatus }
  | { readonly server: number; readonly tools: readonly JsonObject[] }
  | { readonly end: true }
  | { readonly error: string };
