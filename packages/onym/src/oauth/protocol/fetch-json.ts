// One request to an authorization server, bounded in time and size. Redirects are not followed: what answers is what was
// named. Nothing nearer than the server is connected to, whatever a name resolves to at that moment (SAFE-4).

import { type LookupAddress, type LookupOptions, lookup as lookUpAddress } from "node:dns";
import { type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { quoteText } from "@onym/core";
import { isJsonObject, type JsonObject, parseJson } from "../../mcp/json.js";
import { formatDuration } from "../../model/clock.js";
import { farthestReach, isNearer, type Reach, reachOf } from "./check-address.js";

export type FetchedJson =
  /** `body` is `undefined` where it is no object of JSON. */
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly body: JsonObject | undefined;
      readonly headers: IncomingHttpHeaders;
    }
  /** For people: one line, escaped. */
  | { readonly kind: "failed"; readonly reason: string };

/** `dns.lookup` for all addresses of a name. */
type Lookup = (
  hostname: string,
  options: LookupOptions & { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

interface FetchInput {
  /** The server on whose word the address is asked. */
  readonly server: URL;
  readonly method?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
  /** Names → addresses; that of the system unless told. */
  readonly lookup?: Lookup;
}

export const FETCH_MS = 10_000;
const MAX_BYTES = 262_144;

/** A name led nearer than its server is. */
class NearerAddress extends Error {}

export async function fetchJson(url: URL, input: FetchInput): Promise<FetchedJson> {
  const { server, signal, lookup = lookUpAddress } = input;
  const where = quoteText(`${url.origin}${url.pathname}`, 120);
  const late = AbortSignal.timeout(FETCH_MS);
  const end = signal === undefined ? late : AbortSignal.any([late, signal]);
  try {
    const nearest = await orAborted(reachOfServer(server, lookup), end);
    const response = await send(url, { ...input, signal: end, lookup: checkLookup(url, nearest, lookup) });
    const text = await readBounded(response);
    if (text === undefined) return failed(`${where} answered with more than ${MAX_BYTES} bytes`);
    const parsed = parseJson(text);
    const body = parsed.ok && isJsonObject(parsed.value) ? parsed.value : undefined;
    return { kind: "answer", status: response.statusCode ?? 0, body, headers: response.headers };
  } catch (error) {
    if (late.aborted) return failed(`${where} did not answer within ${formatDuration(FETCH_MS)}`);
    if (error instanceof NearerAddress) return failed(`${where} ${error.message}`);
    const { code } = error as { readonly code?: unknown };
    return failed(`${where} cannot be reached${typeof code === "string" ? ` (${code})` : ""}`);
  }
}

function failed(reason: string): FetchedJson {
  return { kind: "failed", reason };
}

function send(
  url: URL,
  {
    method = "GET",
    headers,
    body,
    signal,
    lookup,
  }: Omit<FetchInput, "server" | "lookup"> & { readonly lookup: LookupFunction },
): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    // A connection for this request alone: one that is kept open was checked for another.
    const sent = request(url, {
      method,
      headers: { accept: "application/json", connection: "close", ...headers },
      ...(signal === undefined ? {} : { signal }),
      lookup,
    });
    sent.on("response", resolve);
    sent.on("error", reject);
    sent.end(body);
  });
}

/** By the addresses that it has now; a server with one address outside is outside. */
async function reachOfServer({ hostname }: URL, lookup: Lookup): Promise<Reach> {
  const named = reachOf(hostname);
  if (named !== "public") return named;
  return new Promise((resolve) => {
    lookup(hostname, { all: true }, (error, addresses) =>
      resolve(error === null ? farthestReach(addresses.map(({ address }) => address)) : "public"),
    );
  });
}

/** Leaves only addresses that are no nearer than the server, in the very look-up that the connection is made with. */
function checkLookup(url: URL, nearest: Reach, lookup: Lookup): LookupFunction {
  // Addresses in digits are not looked up; they were checked when they were read.
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      // Another name is that of a proxy.
      const allowed =
        hostname === url.hostname
          ? addresses.filter(({ address }) => !isNearer(reachOf(address), nearest))
          : addresses;
      const [first] = allowed;
      if (first === undefined) {
        const why = "leads into this machine or its network, although the server is outside";
        return callback(new NearerAddress(why), []);
      }
      if (options.all === true) callback(null, [...allowed]);
      else callback(null, first.address, first.family);
    });
  };
}

function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) return abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

async function readBounded(response: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  // Leaving the loop ends the connection.
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
