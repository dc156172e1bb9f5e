// The requests that MCP clients send, a row for each: header checks, spans, metrics, audit records and refusals go by this
// table. A method's handler is in gateway/create-router.ts, whose type asks for one for every row.

import type { Era } from "./protocol.js";

export interface MethodFacts {
  /** The eras that have it; in another one it is "method not found". */
  readonly eras: readonly Era[];
  /** What the request names. */
  readonly names?: "tool" | "prompt" | "resource";
  /** It calls a tool: its arguments are kept byte for byte, it is never sent twice, and it is counted by tool. */
  readonly runsTool?: true;
  /** The field of the params that the `Mcp-Name` header repeats (GW-4). */
  readonly nameHeaderField?: "name" | "uri";
  /** It has a span and a metric of its own; others have no span and count as `other`. */
  readonly isObserved?: true;
  /** It reveals nothing of any server, so it is answered even by a gateway that denies everything. */
  readonly isHarmless?: true;
  /** Nobody is ever asked to approve it. */
  readonly isUnasked?: true;
  /** Modern clients may cache its result. */
  readonly isCacheable?: true;
  /** Stands before the canonical name in audit records. */
  readonly auditPrefix?: string;
}

const BOTH: readonly Era[] = ["legacy", "modern"];
const LEGACY: readonly Era[] = ["legacy"];
const MODERN: readonly Era[] = ["modern"];

const ROWS = {
  initialize: { eras: LEGACY, isObserved: true },
  "server/discover": { eras: MODERN, isObserved: true },
  ping: { eras: LEGACY, isHarmless: true },
  "logging/setLevel": { eras: LEGACY, isObserved: true, isHarmless: true },
  "tools/list": { eras: BOTH, isObserved: true },
  "tools/call": { eras: BOTH, names: "tool", runsTool: true, nameHeaderField: "name", isObserved: true },
  "prompts/list": { eras: BOTH, isObserved: true },
  "prompts/get": { eras: BOTH, names: "prompt", nameHeaderField: "name", isObserved: true },
  "resources/list": { eras: BOTH, isObserved: true },
  "resources/templates/list": { eras: BOTH, isObserved: true },
  "resources/read": {
    eras: BOTH,
    names: "resource",
    nameHeaderField: "uri",
    isObserved: true,
    isCacheable: true,
  },
  "resources/subscribe": {
    eras: LEGACY,
    names: "resource",
    isObserved: true,
    auditPrefix: "subscription to",
  },
  "resources/unsubscribe": {
    eras: LEGACY,
    names: "resource",
    isObserved: true,
    auditPrefix: "end of subscription to",
  },
  // Clients request completions on every keystroke.
  "completion/complete": { eras: BOTH, isObserved: true, isUnasked: true, auditPrefix: "completion for" },
  "subscriptions/listen": { eras: MODERN },
} as const satisfies Readonly<Record<string, MethodFacts>>;

/** What the router answers; the edges answer the others, which open a session or a stream. */
export type RoutedMethod = Exclude<keyof typeof ROWS, "initialize" | "subscriptions/listen">;

/** By any text that a client sends as a method. */
export const METHODS: ReadonlyMap<string, MethodFacts> = new Map(Object.entries(ROWS));
