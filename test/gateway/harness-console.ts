// Asks the console's API of a running gateway, as its page does.

import { createHash } from "node:crypto";
import type { RunningOnym } from "./harness.js";
import { askModern } from "./harness-raw.js";

export type Json = Readonly<Record<string, unknown>>;

export const tokenOf = (letter: string): string => letter.repeat(43);

/** An entry of `auth.tokens`. */
export const entryOf = (name: string, token: string, more: Json = {}) => ({
  name,
  hash: `sha256:${createHash("sha256").update(token).digest("hex")}`,
  ...more,
});

export async function keyOf(onym: RunningOnym): Promise<string> {
  const [, key = ""] = await onym.said(/^console \S+#key=(\S+)$/m);
  return key;
}

interface Asked {
  readonly token?: string | undefined;
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export async function ask(onym: RunningOnym, path: string, { token, method, body, headers }: Asked = {}) {
  const answer = await fetch(new URL(`/console/api/${path}`, onym.url), {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Json & { readonly error?: string } };
}

export async function signIn(onym: RunningOnym): Promise<string> {
  const { body } = await ask(onym, "session", { body: { key: await keyOf(onym) } });
  return String(body["token"]);
}

export function call({ url }: RunningOnym, name: string, headers: Readonly<Record<string, string>> = {}) {
  return askModern({ url: `${url}/openai`, method: "tools/call", params: { name, arguments: {} }, headers });
}
