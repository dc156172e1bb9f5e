// What came of one call: the right echo, a clean error of an expected kind, or a wrong.

import { type Identity, isSame, keyOf } from "./identity.js";
import type { Came, Message } from "./load-client.js";

export interface Judged {
  readonly id: unknown;
  readonly nonce: string;
  readonly expected: Identity;
  readonly progressToken?: string | number;
  /** The client cancelled it. */
  readonly cancelled: boolean;
}

export type Verdict =
  | {
      readonly kind: "right" | "told-to-fail" | "cancelled" | "unknown" | "ambiguous" | "down" | "gone-there";
    }
  | { readonly kind: "misroute" | "unclean"; readonly why: string; readonly by?: Identity };

/** What Onym may say of a downstream that is in trouble. */
const DOWN =
  /^server ".*" (?:is (?:down|unhealthy since|gone|starting|closed|not started|not running any more)|did not answer|could not be asked|broke off|answered|has \d+ requests|does not take|sent a message of more|ended the session)|^The server of .* is not connected|^The request was cancelled/s;

export function judge(call: Judged, { status, messages }: Came): Verdict {
  const answers = messages.filter(({ method }) => method === undefined);
  for (const { method, params } of messages) {
    if (method !== "notifications/progress") continue;
    if (call.progressToken === undefined || params?.["progressToken"] !== call.progressToken)
      return misroute(`progress of another call came: ${JSON.stringify(params)}`);
  }
  const [answer, ...others] = answers;
  if (others.length > 0) return misroute(`${answers.length} answers came`);
  if (answer === undefined)
    return call.cancelled ? { kind: "cancelled" } : unclean(`no answer came, HTTP ${status}`);
  if (answer.id !== call.id)
    return misroute(
      `the answer is for id ${JSON.stringify(answer.id)}, HTTP ${status}: ${JSON.stringify(answer.error)}`,
    );
  return answer.error === undefined ? judgeResult(call, answer) : judgeError(call, answer.error);
}

function judgeResult({ nonce, expected }: Judged, { result = {} }: Message): Verdict {
  const echo = result["structuredContent"] as (Identity & { readonly nonce: unknown }) | undefined;
  if (echo === undefined) return unclean(`a result without an echo: ${JSON.stringify(result).slice(0, 300)}`);
  if (echo.nonce !== nonce) return misroute(`${keyOf(echo)} answered with nonce ${String(echo.nonce)}`);
  if (!isSame(echo, expected)) return { kind: "misroute", why: `${keyOf(echo)} answered`, by: echo };
  return { kind: result["isError"] === true ? "told-to-fail" : "right" };
}

function judgeError({ expected }: Judged, error: NonNullable<Message["error"]>): Verdict {
  const { code, message } = error;
  const data = (error.data ?? {}) as { readonly server?: unknown; readonly raw?: unknown };
  if (typeof data.server === "string" && data.server !== expected.server)
    return misroute(`the server ${data.server} answered: ${message}`);
  if (typeof data.raw === "string") {
    if (data.raw !== expected.raw) return misroute(`${data.server}: ${data.raw} answered: ${message}`);
    return { kind: code === -32602 ? "gone-there" : "told-to-fail" };
  }
  if (code === -32602 && message.startsWith("Unknown tool: ")) return { kind: "unknown" };
  if (code === -32602 && message.startsWith("Ambiguous tool: ")) return { kind: "ambiguous" };
  if (code === -32603 && DOWN.test(message)) return { kind: "down" };
  return unclean(`error ${code}: ${message}`);
}

function misroute(why: string): Verdict {
  return { kind: "misroute", why };
}

function unclean(why: string): Verdict {
  return { kind: "unclean", why };
}
