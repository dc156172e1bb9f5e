// Sends one batch of spans to the collector and returns the result. Always ends within bounds, whatever the
// collector answers.

import type { ClientRequest, IncomingMessage } from "node:http";
import { formatDuration } from "../model/clock.js";

type Delivery =
  | { readonly kind: "delivered" }
  /** `reason` is for people to read: no address with secrets, no headers, nothing from the collector's answer. */
  | { readonly kind: "failed"; readonly reason: string; readonly isPassing: boolean };

export interface SpanPost {
  readonly post: (body: Uint8Array) => Promise<Delivery>;
  /** Aborts the requests in flight. */
  readonly close: () => void;
}

export interface SpanPostOptions {
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
}

/** The answer is not used, and a real collector sends less. */
const MAX_ANSWER = 65_536;
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export async function createSpanPost({ url, headers, timeoutMs }: SpanPostOptions): Promise<SpanPost> {
  // Loads only the module that is needed, because each one slows the start.
  const { request, Agent } =
    url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const fixed = { ...Object.fromEntries(headers), "content-type": "application/json" };

  const post = (body: Uint8Array): Promise<Delivery> =>
    new Promise((resolve) => {
      const sent = request(url, {
        method: "POST",
        agent,
        headers: { ...fixed, "content-length": body.length },
      });
      const late = setTimeout(
        () => sent.destroy(new Error(`no answer within ${formatDuration(timeoutMs)}`)),
        timeoutMs,
      );
      late.unref();
      sent.on("close", () => clearTimeout(late));
      sent.on("error", (error: NodeJS.ErrnoException) => {
        resolve({ kind: "failed", reason: explainError(error), isPassing: true });
      });
      sent.on("response", (answer) => {
        drain(answer, sent);
        // A collector that answers early does not want the rest. Stop sending, because the buffer is reused soon.
        if (!sent.writableFinished) sent.destroy();
        resolve(deliveryOf(answer.statusCode ?? 0));
      });
      sent.end(body);
    });

  return { post, close: () => agent.destroy() };
}

/** Keeps the connection for reuse, unless the answer is too long. */
function drain(answer: IncomingMessage, sent: ClientRequest): void {
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_ANSWER) sent.destroy();
  });
  answer.on("error", () => {});
}

function deliveryOf(status: number): Delivery {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  // Following a redirect would send the headers to another server.
  const reason = status >= 300 && status < 400 ? `it leads elsewhere (HTTP ${status})` : `HTTP ${status}`;
  return { kind: "failed", reason, isPassing: PASSING.has(status) };
}

function explainError(error: NodeJS.ErrnoException | AggregateError): string {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [error];
  const { code, message } = first as NodeJS.ErrnoException;
  return code === "ECONNREFUSED" ? "nothing listens there (ECONNREFUSED)" : (code ?? message);
}
