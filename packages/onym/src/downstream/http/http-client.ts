// HTTP towards one downstream: one pool of connections kept alive, failures as values.

import { setFlagsFromString } from "node:v8";
import { Pool } from "undici";
import type { CancelSignal } from "../../mcp/fast-path/cancel-signal.js";
import type { Launch } from "../../model/launch.js";
import type { HideSecrets } from "../hide-secrets.js";
import type { Credentials } from "./credentials.js";
import { createDelivery, type HttpAnswer } from "./http-delivery.js";

/**
 * What parses answers is WebAssembly with one huge function. V8 compiles that once more, for speed, after a handful of
 * answers: half a second and 40 MB, a quarter of which stays. A gateway that is hardly used does without; a busy one comes
 * to it some hundred answers later. Versions of V8 that may not know the flag would complain.
 */
if (Number.parseInt(process.versions.v8, 10) <= 13) setFlagsFromString("--wasm-tiering-budget=1000000000");

export type HttpLaunch = Extract<Launch, { readonly kind: "http" | "sse" }>;

interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  /** Lower-case names. Beside the headers of the config, and over them. The same map for requests alike saves work. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: string | Buffer;
  readonly signal?: CancelSignal | undefined;
  /** Where it is not the address of the config; the same origin. */
  readonly path?: string;
}

export interface HttpFailure {
  readonly kind: "failed";
  readonly reason: string;
  readonly hint: string;
  /** No connection came about: nothing was delivered, and the server is not there. */
  readonly unreachable: boolean;
  /** The server may have taken the request before the connection broke. */
  readonly mayHaveRun: boolean;
}

export interface HttpClient {
  /** Without query, for people. */
  readonly address: string;
  readonly request: (request: HttpRequest) => Promise<HttpAnswer | HttpFailure>;
  readonly close: () => Promise<void>;
}

const UNREACHABLE: ReadonlyMap<string, string> = new Map([
  ["ECONNREFUSED", "nothing listens there"],
  ["ENOTFOUND", "the host is unknown"],
  ["EAI_AGAIN", "the host could not be looked up"],
  ["EHOSTUNREACH", "the host cannot be reached"],
  ["ENETUNREACH", "the network cannot be reached"],
  ["ETIMEDOUT", "the connection timed out"],
  ["UND_ERR_CONNECT_TIMEOUT", "the connection timed out"],
]);

export function createHttpClient(
  launch: HttpLaunch,
  hide: HideSecrets,
  credentials?: Credentials,
): HttpClient {
  const url = new URL(launch.url);
  const base = configHeaders(launch, url);
  const address = `${url.origin}${url.pathname}`;
  // Deadlines are the caller's; a stream may be quiet for hours.
  const pool = new Pool(url.origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 });
  const ownPath = url.pathname + url.search;
  // Requests of one session carry the same headers; they are put together once.
  let known: KnownHeaders | undefined;
  const flatten = (headers: ReadonlyMap<string, string>, authorization: string): string[] => {
    if (known?.headers !== headers || known.authorization !== authorization) {
      known = { headers, authorization, flat: joinHeaders(base, headers, authorization) };
    }
    return known.flat;
  };
  /** With `held`, a request that is refused is sent once more, signed anew. */
  const send = (
    request: HttpRequest,
    authorization = "",
    held?: Credentials,
  ): Promise<HttpAnswer | HttpFailure> =>
    new Promise((resolve) => {
      const { method, headers, body, signal, path = ownPath } = request;
      const delivery = createDelivery(signal, {
        onAnswer: (answer) =>
          resolve(
            held !== undefined && (answer.status === 401 || answer.status === 403)
              ? sendAgain(request, authorization, held, answer)
              : answer,
          ),
        onFailure: (error) => resolve(explainFailure(error, address, hide)),
      });
      try {
        pool.dispatch(
          { path, method, headers: flatten(headers, authorization), body: body ?? null },
          delivery,
        );
      } catch (error) {
        resolve(explainFailure(error, address, hide));
      }
    });
  const sendSigned = (request: HttpRequest, held: Credentials): Promise<HttpAnswer | HttpFailure> => {
    const header = held.header();
    // A session that ends needs no new token for it.
    if (request.method === "DELETE") return send(request, header);
    if (header === undefined)
      return held
        .obtain()
        .then((first) =>
          first.kind === "trouble" ? unsigned(first, address) : send(request, first.header, held),
        );
    return send(request, header, held);
  };
  const sendAgain = async (
    request: HttpRequest,
    sent: string,
    held: Credentials,
    answer: HttpAnswer,
  ): Promise<HttpAnswer | HttpFailure> => {
    const { status } = answer;
    const challenge = answer.header("www-authenticate");
    const next = await held.refused({ status, sent, challenge });
    if (next.kind === "header" && (next.header === "" || next.header === sent)) return answer;
    // A request that was refused was not taken: it may be sent again, once.
    answer.body.drop();
    if (next.kind === "trouble") return { ...unsigned(next, address), unreachable: status === 401 };
    const again = await send(request, next.header);
    if (again.kind === "failed" || again.status !== 401) return again;
    again.body.drop();
    // The server is there, and may refuse this one request only: it stays up for everybody else.
    const reason = "it refuses a token that was made for it just now (HTTP 401)";
    const hint = "Ask whoever runs it and its authorization server.";
    return { ...unsigned({ reason, hint }, address), unreachable: false };
  };
  return {
    address,
    request: (request) => (credentials === undefined ? send(request) : sendSigned(request, credentials)),
    close: () => pool.destroy().catch(() => {}),
  };
}

/** Without a token there is nothing to be had from the server, as if it were away. */
function unsigned(
  { reason, hint }: { readonly reason: string; readonly hint: string },
  address: string,
): HttpFailure {
  return { kind: "failed", reason: `${address}: ${reason}`, hint, unreachable: true, mayHaveRun: false };
}

/** The later over the earlier, as a flat list. With loops, because requests of the modern era have headers of their own. */
function joinHeaders(
  base: ReadonlyMap<string, string>,
  headers: ReadonlyMap<string, string>,
  authorization: string,
): string[] {
  const isSigned = authorization !== "";
  const flat = isSigned ? ["authorization", authorization] : [];
  for (const [name, value] of base)
    if (!headers.has(name) && !(isSigned && name === "authorization")) flat.push(name, value);
  for (const [name, value] of headers) if (!(isSigned && name === "authorization")) flat.push(name, value);
  return flat;
}

interface KnownHeaders {
  readonly headers: ReadonlyMap<string, string>;
  readonly authorization: string;
  readonly flat: string[];
}

function configHeaders(launch: HttpLaunch, url: URL): ReadonlyMap<string, string> {
  const headers = new Map([...launch.headers].map(([name, value]) => [name.toLowerCase(), value]));
  if (url.username !== "" && !headers.has("authorization")) {
    const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    headers.set("authorization", `Basic ${Buffer.from(pair).toString("base64")}`);
  }
  return headers;
}

function explainFailure(thrown: unknown, address: string, hide: HideSecrets): HttpFailure {
  const error = (thrown instanceof AggregateError ? thrown.errors[0] : thrown) as NodeJS.ErrnoException;
  const code = typeof error?.code === "string" ? error.code : "";
  const known = UNREACHABLE.get(code);
  const why =
    known === undefined ? hide(String(error?.message ?? "the request failed")) : `${known} (${code})`;
  const tls = /CERT|SSL|TLS|ALTNAME/.test(code);
  const hint = tls
    ? "Check its certificate, or give the CA in NODE_EXTRA_CA_CERTS."
    : "Is it running, and is the url right?";
  const unreachable = known !== undefined;
  return { kind: "failed", reason: `${address}: ${why}`, hint, unreachable, mayHaveRun: !unreachable };
}
