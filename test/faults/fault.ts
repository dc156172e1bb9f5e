// A fault: what goes wrong, and what its caller must hear. One row of the tables beside.

export interface Fault {
  readonly name: string;
  readonly expect: Expected;
  /** How often the call runs at its server; never twice. */
  readonly ran: number;
  readonly cause: Cause;
}

/** How it is brought about. */
type Cause =
  /** Steps of the hostile server, `quietMs` after the fault before; `after`: to put right what this one left behind. */
  | {
      readonly kind: "stdio";
      readonly steps: readonly Step[];
      readonly after: readonly Step[];
      readonly quietMs: number;
    }
  /** The proxy knows it by the name of the fault. */
  | { readonly kind: "http" }
  /** Nothing listens at the address while the call is made. */
  | { readonly kind: "refused" }
  /** So many calls in a row that fail, and then one more. */
  | { readonly kind: "sick"; readonly failures: number }
  /** The client itself misbehaves. */
  | { readonly kind: "client"; readonly happen: (place: ClientPlace) => Promise<Outcome> };

export interface ClientPlace {
  readonly url: string;
  /** A name that the call may use, and arguments that the server echoes. */
  readonly tool: string;
  readonly nonce: string;
}

export type Step = Readonly<Record<string, unknown>> & { readonly do: string };

export type Expected =
  | { readonly kind: "result" }
  | {
      readonly kind: "error";
      readonly says: RegExp;
      /** The call was sent, so that nobody knows what came of it: said in words and in `data`. */
      readonly outcome?: "unknown";
      readonly data?: Readonly<Record<string, unknown>>;
    }
  /** No answer of MCP: the connection ended, or a status of HTTP. */
  | { readonly kind: "http"; readonly status: readonly number[] };

/** What the caller heard. */
export type Outcome =
  | { readonly kind: "result"; readonly echo: { readonly server?: unknown; readonly nonce?: unknown } }
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "http"; readonly status: number };

export const RESULT: Expected = { kind: "result" };

/** The call was sent and not answered. */
export function unknown(says: RegExp, data: Readonly<Record<string, unknown>> = {}): Expected {
  return { kind: "error", says, outcome: "unknown", data };
}

/** The call was refused: it did not run. */
export function refusal(says: RegExp, data: Readonly<Record<string, unknown>> = {}): Expected {
  return { kind: "error", says, data };
}

/** What is wrong with an outcome; `undefined` where it is as expected. */
export function judge(expected: Expected, outcome: Outcome): string | undefined {
  const shown = JSON.stringify(outcome).slice(0, 400);
  if (expected.kind === "result") return outcome.kind === "result" ? undefined : `no result: ${shown}`;
  if (expected.kind === "http")
    return outcome.kind === "http" && expected.status.includes(outcome.status) ? undefined : `came: ${shown}`;
  if (outcome.kind !== "error") return `no error: ${shown}`;
  if (!expected.says.test(outcome.message)) return `it does not say ${expected.says}: ${shown}`;
  if (outcome.data["outcome"] !== expected.outcome) return `the outcome is not ${expected.outcome}: ${shown}`;
  if (expected.outcome === "unknown" && !/outcome is unknown/.test(outcome.message))
    return `it does not say in words that the outcome is unknown: ${shown}`;
  const off = Object.entries(expected.data ?? {}).find(([key, value]) => outcome.data[key] !== value);
  return off === undefined ? undefined : `data.${off[0]} is not ${String(off[1])}: ${shown}`;
}
