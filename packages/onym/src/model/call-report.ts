// What became of one request of a client: for metrics, the console and the log. Made once, at its end. Texts are not
// escaped: whoever shows them must escape them. Never arguments, results or the text of errors.

import type { Tool } from "@onym/core";

/** Why a request was not served, as one word for people and machines. */
export type RefusalReason =
  /** The name leads to no tool. */
  | "unknown"
  | "ambiguous"
  | "retired"
  /** A rule denies it. */
  | "policy"
  /** Somebody denied it: for good, or this call. */
  | "rejected"
  /** It needs an approval that nobody has given. */
  | "not-approved"
  /** The store could not record or decide it. */
  | "store"
  /** Its server is down, or does not take it now. */
  | "server-down"
  /** The request itself is wrong. */
  | "invalid"
  /** At the edge, before anything is read. */
  | "host"
  | "unauthenticated"
  | "forbidden"
  | "limit";

export type CallOutcome = "result" | "tool_error" | "error" | "cancelled" | "input_required" | "refused";

export interface ReportedTool {
  /** The key of its first identity: it survives declared renames (LOCK-5, ID-10). */
  readonly key: string;
  readonly canonical: string;
  readonly server: string;
  readonly toolbox: string | undefined;
}

export interface CallReport {
  /** Counts up in this process. */
  readonly id: number;
  readonly method: string;
  /** When it came, in ms since 1970, and how long it took. */
  readonly at: number;
  readonly ms: number;
  /** The id that the client gave it. */
  readonly request: string | number;
  readonly trace: string | undefined;
  /** In the audit. */
  readonly call: string | undefined;
  readonly principal: string;
  /** The toolboxes that its caller was confined to; `undefined`: to none. Another token of the same principal may see less. */
  readonly confinedTo: readonly string[] | undefined;
  readonly client: string;
  readonly profile: string;
  /** The name as it was sent; `undefined` for what has none. */
  readonly sent: string | undefined;
  readonly tool: ReportedTool | undefined;
  /** The tool that policy hides from the caller (GW-6). For operators; to metrics and callers the name is unknown. */
  readonly hidden: Tool | undefined;
  /** The step that found the tool, else what resolving came to. */
  readonly step: string | undefined;
  /** It was called by a deprecated name. */
  readonly isDeprecated: boolean;
  readonly decision: string | undefined;
  readonly rule: string | undefined;
  readonly outcome: CallOutcome;
  readonly reason: RefusalReason | undefined;
  /** JSON-RPC's code, where the reply is an error. */
  readonly code: number | undefined;
  readonly phases: CallPhases;
}

/** In the order in which a request goes through them. */
export const CALL_PHASES = ["resolve", "decide", "ask", "record", "server"] as const;

/**
 * Whole µs from the beginning of a request to the end of each phase; `undefined` for those that it did not go through. Small integers
 * take no memory of their own, and thousands of reports are kept.
 */
export type CallPhases = Readonly<Record<(typeof CALL_PHASES)[number], number | undefined>>;

export interface CallSink {
  readonly ended: (report: CallReport) => void;
}
