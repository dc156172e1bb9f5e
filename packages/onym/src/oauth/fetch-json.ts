// One request to an authorization server, bounded in time and size. Redirects are not followed: what answers is what was named.

import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject } from "../rpc/json.js";
import { parseJson } from "../rpc/parse-json.js";

export type FetchedJson =
  /** `body` is `undefined` where it is no object of JSON. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: JsonObject | undefined;
      readonly headers: Headers;
    }
  /** For people: one line, escaped. */
  | { readonly kind: "failed"; readonly reason: string };

interface FetchInput {
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export const FETCH_MS = 10_000;
const MOST_BYTES = 262_144;

export async function fetchJson(url: URL, { signal, ...request }: FetchInput = {}): Promise<FetchedJson> {
  const where = quoteText(`${url.origin}${url.pathname}`, 120);
  const late = AbortSignal.timeout(FETCH_MS);
  try {
    const response = await fetch(url, {
      ...request,
      headers: { accept: "application/json", ...request.headers },
      redirect: "manual",
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const text = await readBounded(response);
    if (text === undefined) return failed(`${where} answered with more than ${MOST_BYTES} bytes`);
    const parsed = parseJson(text);
    const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
    return { kind: "answer", status: response.status, body, headers: response.headers };
  } catch (error) {
    if (late.aborted) return failed(`${where} did not answer within ${FETCH_MS / 1000} s`);
    const { cause } = error as { readonly cause?: { readonly code?: unknown } };
    const code = typeof cause?.code === "string" ? ` (${cause.code})` : "";
    return failed(`${where} cannot be reached${code}`);
  }
}

function failed(reason: string): FetchedJson {
  return { kind: "failed", reason };
}

async function readBounded({ body }: Response): Promise<string | undefined> {
  if (body === null) return "";
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels what is still to come.
  for await (const part of body as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MOST_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
