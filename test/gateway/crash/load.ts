// Many callers at once until the gateway dies under them: plain calls, and calls whose users say "always" when asked.

import { askModern, type RawAnswer } from "../harness-raw.js";

const CALLING = 6;
const DECIDING = 3;

export interface Load {
  /** Resolves when nobody calls any more: the gateway is gone, or every tool was decided. */
  readonly ended: Promise<void>;
  /** Resolves with the first answer. */
  readonly begun: Promise<void>;
  /** Resolves with the first decision whose call was answered. */
  readonly decided: Promise<void>;
  /** Calls whose answer arrived. */
  readonly answered: () => number;
  /** Decisions whose call was answered: the raw name of the tool, and the start of the digest that its user was shown. */
  readonly acknowledged: ReadonlyMap<string, string>;
}

export interface LoadOptions {
  /** The endpoint of a profile whose names are `mail_free` and `mail_ask_N`. */
  readonly url: string;
  /** How many tools there are to decide about. */
  readonly undecided: number;
  /** Different for every call that is ever made. */
  readonly nextNonce: () => string;
}

export function startLoad({ url, undecided, nextNonce }: LoadOptions): Load {
  let answered = 0;
  let next = 0;
  const acknowledged = new Map<string, string>();
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let decide = () => {};
  const decided = new Promise<void>((resolve) => {
    decide = resolve;
  });
  const isEcho = ({ result }: RawAnswer, nonce: string): boolean => {
    const echo = result?.["structuredContent"] as { readonly nonce?: unknown } | undefined;
    if (echo?.nonce !== nonce) return false;
    answered += 1;
    begin();
    return true;
  };
  const callFree = async (): Promise<void> => {
    for (;;) {
      const nonce = nextNonce();
      isEcho(await call(url, "mail_free", { arguments: { nonce } }), nonce);
    }
  };
  /** While the gateway still connects, the tool is unknown: then it is called again. */
  const askedFor = async (name: string, params: Readonly<Record<string, unknown>>): Promise<RawAnswer> => {
    for (;;) {
      const answer = await call(url, name, params);
      if (answer.result?.["resultType"] === "input_required") return answer;
    }
  };
  const decideAll = async (): Promise<void> => {
    while (next < undecided) {
      const raw = `ask_${next++}`;
      const nonce = nextNonce();
      const params = { arguments: { nonce } };
      const { result } = await askedFor(`mail_${raw}`, params);
      const digest = /Definition ([0-9a-f]+)\./.exec(JSON.stringify(result))?.[1] ?? "";
      const answer = { action: "accept", content: { decision: "always" } };
      const requestState = result?.["requestState"];
      const inputResponses = { "question-1": answer };
      const done = await call(url, `mail_${raw}`, { ...params, requestState, inputResponses });
      if (!isEcho(done, nonce)) continue;
      acknowledged.set(raw, digest);
      decide();
    }
  };
  const untilGone = (work: () => Promise<void>): Promise<void> => work().catch(() => {});
  const ended = Promise.all([
    ...Array.from({ length: CALLING }, () => untilGone(callFree)),
    ...Array.from({ length: DECIDING }, () => untilGone(decideAll)),
  ]).then(() => {});
  return { ended, begun, decided, answered: () => answered, acknowledged };
}

function call(url: string, name: string, params: Readonly<Record<string, unknown>>): Promise<RawAnswer> {
  const capabilities = { elicitation: { form: {} } };
  return askModern({ url, method: "tools/call", params: { name, ...params }, capabilities });
}
