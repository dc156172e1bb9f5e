// The HTTP client of one server: one keep-alive connection pool, failures as values.

import { Pool } from "undici";
import type { CancelSignal } from "../../mcp/fast-path/in-flight.js";
import type { Launch } from "../../model/launch.js";
import { decodePercent, type HideSecrets } from "../hide-secrets.js";
import type { Credentials } from "./credentials.js";
import { createDelivery, type Discards, type HttpAnswer } from "./http-delivery.js";

export type HttpLaunch = Extract<Launch, { readonly kind: "http" | "sse" }>;

interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  /**
   * Lower-case names. Added to the headers of the config, and overriding them. Reuse the same map for similar
   * requests: it is cached.
   */
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: string | Buffer;
  readonly signal?: CancelSignal | undefined;
  /** If it differs from the URL of the config; the same origin. */
  readonly path?: string;
}

export interface HttpFailure {
  readonly kind: "failed";
  readonly reason: string;
  readonly hint: string;
  /** No connection: nothing was delivered, and the server is down. */
  readonly unreachable: boolean;
  /** The server may have received the request before the connection broke. */
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

/** What an authorization server says, in characters. */
const MAX_REASON = 1_000;

export function createHttpClient(
  launch: HttpLaunch,
  hide: HideSecrets,
  credentials?: Credentials,
): HttpClient {
  const url = new URL(launch.url);
  const base = configHeaders(launch, url);
  const address = `${url.origin}${hide(url.pathname)}`;
  // Callers set the deadlines; a stream may be silent for hours.
  const pool = new Pool(url.origin, { headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000 });
  const discards: Discards = { open: 0 };
  const ownPath = url.pathname + url.search;
  // Requests of one session carry the same headers, so they are joined once.
  let known: KnownHeaders | undefined;
  const flatten = (headers: ReadonlyMap<string, string>, authorization: string): string[] => {
    if (known?.headers !== headers || known.authorization !== authorization) {
      known = { headers, authorization, flat: joinHeaders(base, headers, authorization) };
    }
    return known.flat;
  };
  /** With `held`, a refused request is sent once more with a new token. */
  const send = (
    request: HttpRequest,
    authorization = "",
    held?: Credentials,
  ): Promise<HttpAnswer | HttpFailure> =>
    new Promise((resolve) => {
      const { method, headers, body, signal, path = ownPath } = request;
      const delivery = createDelivery(signal, discards, {
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
    // Ending a session is not worth a new token.
    if (request.method === "DELETE") return send(request, header);
    if (header === undefined)
      return held
        .obtain()
        .then((first) =>
          first.kind === "trouble" ? unsigned(first, address, hide) : send(request, first.header, held),
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
    // A refused request was not processed, so it may be sent once more.
    answer.body.drop();
    if (next.kind === "trouble") return { ...unsigned(next, address, hide), unreachable: status === 401 };
    const again = await send(request, next.header);
    if (again.kind === "failed" || again.status !== 401) return again;
    again.body.drop();
    // The server is up and may refuse only this request, so it stays up for other callers.
    const reason = "it refuses a token that was made for it just now (HTTP 401)";
    const hint = "Ask the operator of the server and of its authorization server.";
    return { ...unsigned({ reason, hint }, address, hide), unreachable: false };
  };
  return {
    address,
    request: (request) => (credentials === undefined ? send(request) : sendSigned(request, credentials)),
    close: () => pool.destroy().catch(() => {}),
  };
}

/** Without a token the server is as good as down. The reason may name its whole address. */
function unsigned(
  { reason, hint }: { readonly reason: string; readonly hint: string },
  address: string,
  hide: HideSecrets,
): HttpFailure {
  return {
    kind: "failed",
    reason: `${address}: ${hide(reason, MAX_REASON)}`,
    hint,
    unreachable: true,
    mayHaveRun: false,
  };
}

/**
 * A flat list; later headers override earlier ones. Uses loops, because it runs for every modern request: each has its
 * own headers.
 */
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
    const pair = `${decodePercent(url.username)}:${decodePercent(url.password)}`;
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
