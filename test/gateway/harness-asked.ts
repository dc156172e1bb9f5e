// Clients whose users are asked: each kind of client calls a tool, and answers what it is asked on the way.

import type { Client as ClientV1 } from "@modelcontextprotocol/sdk/client/index.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connectV1, connectV2 } from "./harness-clients.js";
import { askModern } from "./harness-raw.js";

export interface CallResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text?: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export interface Elicited {
  readonly action: "accept" | "decline" | "cancel";
  readonly content?: Readonly<Record<string, string>>;
}

export interface AskedClient {
  readonly call: (name: string, args?: Readonly<Record<string, unknown>>) => Promise<CallResult>;
  /** What its user was asked, oldest first. */
  readonly questions: readonly string[];
  readonly close: () => Promise<void>;
}

/** What the user of a client says to a question. */
export type Answerer = (message: string) => Elicited | Promise<Elicited>;

export type ConnectAsked = (url: string, answer: Answerer) => Promise<AskedClient>;

export const yes = (decision: "once" | "always" | "deny"): Elicited => ({
  action: "accept",
  content: { decision },
});

const capabilities = { elicitation: { form: {} } };

/** Kinds of clients that can ask their users, by what they are. */
export const ASKED_CLIENTS: readonly (readonly [string, ConnectAsked])[] = [
  ["SDK v1", connectAskedV1],
  ["SDK v2, legacy", (url, answer) => connectAskedV2(url, answer, "legacy")],
  ["SDK v2, modern", (url, answer) => connectAskedV2(url, answer, "modern")],
  ["bytes, modern", connectAskedRaw],
];

async function connectAskedV1(url: string, answer: Answerer): Promise<AskedClient> {
  const questions: string[] = [];
  const client: ClientV1 = await connectV1({
    url,
    capabilities,
    prepareV1: (made) =>
      made.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        questions.push(params.message);
        return elicitResult(await answer(params.message));
      }),
  });
  return {
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as CallResult,
    questions,
    close: () => client.close(),
  };
}

async function connectAskedV2(url: string, answer: Answerer, era: "legacy" | "modern"): Promise<AskedClient> {
  const questions: string[] = [];
  const client = await connectV2({
    url,
    era,
    capabilities,
    prepareV2: (made) =>
      made.setRequestHandler("elicitation/create", async ({ params }) => {
        questions.push(params.message);
        return elicitResult(await answer(params.message));
      }),
  });
  return {
    call: async (name, args = {}) => (await client.callTool({ name, arguments: args })) as CallResult,
    questions,
    close: () => client.close(),
  };
}

/** Answers `input_required` as the specification says, question by question. */
export async function connectAskedRaw(url: string, answer: Answerer): Promise<AskedClient> {
  const questions: string[] = [];
  const call: AskedClient["call"] = async (name, args = {}) => {
    let more = {};
    for (;;) {
      const params = { name, arguments: args, ...more };
      const { result, error } = await askModern({ url, method: "tools/call", params, capabilities });
      if (error !== undefined) throw Object.assign(new Error(error.message), { code: error.code });
      if (result?.["resultType"] !== "input_required") return result as unknown as CallResult;
      const { inputRequests = {}, requestState } = result;
      const inputResponses: Record<string, unknown> = {};
      for (const [key, asked] of Object.entries(inputRequests as Record<string, RawQuestion>)) {
        questions.push(asked.params.message);
        inputResponses[key] = await answer(asked.params.message);
      }
      more = { inputResponses, ...(requestState === undefined ? {} : { requestState }) };
    }
  };
  return { call, questions, close: async () => {} };
}

interface RawQuestion {
  readonly params: { readonly message: string };
}

/** A client that cannot ask anybody. */
export async function callUnasked(
  url: string,
  name: unknown,
  args: Readonly<Record<string, unknown>> = {},
): Promise<CallResult> {
  const params = { name, arguments: args };
  const { result, text } = await askModern({ url, method: "tools/call", params });
  if (result === undefined) throw new Error(text);
  return result as unknown as CallResult;
}

export function textOf({ content }: CallResult): string {
  return content.map(({ text = "" }) => text).join("\n");
}

function elicitResult({ action, content }: Elicited) {
  return content === undefined ? { action } : { action, content: { ...content } };
}
