// The protocol between commands and a running gateway: one JSON object per line, with a protocol number.

import type { JsonObject } from "../mcp/json.js";
import type { ListProblem } from "../model/list-problem.js";

/**
 * Increased when an older program would misread a message. A program sends no requests to a gateway with another protocol
 * number.
 */
export const PROTOCOL = 2;

/** Requests are short. */
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

/**
 * `console`: the status, with a link that signs in to the console once. `decisions`: the status, once the gateway goes by the
 * decisions that its store holds now.
 */
export type ControlAsk = "status" | "catalog" | "console" | "decisions";

/** A running gateway. Times are ms since 1970. */
export interface GatewayStatus {
  readonly pid: number;
  /** Of the program. */
  readonly version: string;
  /** The config file it was started with. */
  readonly config: string;
  readonly transport: GatewayTransport;
  /** The HTTP address for clients. */
  readonly url?: string;
  readonly startedAt: number;
  readonly mode: "static" | "dynamic" | "proxy";
  /** In config order. Servers in toolboxes that are not open are `closed`. */
  readonly servers: readonly ServerStatus[];
  readonly toolboxes: readonly { readonly id: string; readonly isOpen: boolean }[];
  /** The first problems of names and servers; `problemCount` counts all. */
  readonly problems: readonly GatewayProblem[];
  readonly problemCount: number;
  /** What it does now; absent in an answer of an older gateway. */
  readonly activity?: GatewayActivity;
  /** Where the console is; with a key in it only where that was asked for. */
  readonly console?: string;
}

export interface GatewayActivity {
  /** Since the start. */
  readonly calls: { readonly total: number; readonly errors: number; readonly refused: number };
  readonly inFlight: number;
  /** Clients with a session. */
  readonly clients: readonly {
    readonly client: string;
    readonly principal: string;
    readonly profile: string;
    /** Since its last request, where it has no stream open; absent over stdio, and in an answer of an older gateway. */
    readonly idleMs?: number;
  }[];
  /** Approval requests that wait for an operator; absent where nothing is kept. */
  readonly approvalsWaiting?: number;
  readonly recordsWaiting: number;
  /** `none`: nothing is kept. Otherwise `trouble` says, for people, why it cannot be used. */
  readonly store: { readonly engine: "none" | "sqlite" | "postgres"; readonly trouble?: string };
  /** Names that were given out, and those of them that are kept for tools that are not there. */
  readonly lock: { readonly names: number; readonly kept: number };
}

export type GatewayTransport = "stdio" | "http";

export interface ServerStatus {
  readonly server: string;
  readonly toolbox?: string;
  /** `unhealthy`: connected and listed, but its last requests failed, so calls are refused for now. */
  readonly state: "static" | "closed" | "starting" | "ready" | "unhealthy" | "failed";
  /** When this state began. */
  readonly since: number;
  /** How many times it was ready again after being down; absent in an answer of an older gateway. */
  readonly restarts?: number;
  /** Its tools are in the callers' lists; stays set for a moment while the server is down. */
  readonly isListed: boolean;
  /** The number of listed tools, before filters. */
  readonly toolCount: number;
  /** Why it failed and what to do, for people to read: escaped, no secrets. */
  readonly reason?: string;
  readonly hint?: string;
  /** It needs somebody to sign in. */
  readonly needsSignIn?: true;
  /** As the server announced it. */
  readonly serverVersion?: string;
  /** What is missing from its lists, and why. */
  readonly listProblems: readonly ListProblem[];
}

interface GatewayProblem {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
}

/** The status, and the tools of each server as listed; none if `isListed` is not set. */
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
