// The keys of an authorization server: their URL is discovered once, and they are fetched when a token needs
// them.

import type { JWTVerifyGetKey } from "jose";
import { isJsonObject } from "../../mcp/json.js";
import type { IssuerSettings } from "../../model/auth-settings.js";

/** The keys cannot be fetched now. The token may be valid, so the caller may retry. */
export class KeysUnavailable extends Error {}

export interface IssuerKeys {
  /** @throws KeysUnavailable */
  readonly load: () => Promise<JWTVerifyGetKey>;
}

const FETCH_MS = 5_000;
/** An authorization server that is down is not asked again on every request. */
const PAUSE_MS = 10_000;
/** Keys are fetched again after this: one that its issuer withdraws verifies no token any more. */
const MAX_AGE_MS = 60_000;
/** Maximum size of the metadata or of a key set; a key takes less than 1 kB. */
const MAX_BYTES = 262_144;

export function createIssuerKeys({ issuer, jwksUri }: IssuerSettings, now: () => number): IssuerKeys {
  let loading: Promise<JWTVerifyGetKey> | undefined;
  let failedAt: number | undefined;
  const begin = async (): Promise<JWTVerifyGetKey> => {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const address = jwksUri ?? (await discoverKeys(issuer));
    return createRemoteJWKSet(new URL(address), {
      timeoutDuration: FETCH_MS,
      cooldownDuration: PAUSE_MS,
      cacheMaxAge: MAX_AGE_MS,
      [customFetch]: fetchBounded,
    });
  };
  return {
    load() {
      if (loading !== undefined) return loading;
      if (failedAt !== undefined && now() - failedAt < PAUSE_MS)
        return Promise.reject(new KeysUnavailable("it was asked a moment ago"));
      loading = begin().catch((cause: unknown) => {
        loading = undefined;
        failedAt = now();
        throw cause instanceof KeysUnavailable ? cause : new KeysUnavailable("no keys", { cause });
      });
      return loading;
    },
  };
}

/** Metadata of RFC 8414, else of OpenID Connect. It must name exactly this issuer. */
async function discoverKeys(issuer: string): Promise<string> {
  for (const address of metadataAddresses(issuer)) {
    const found = await readMetadata(address).catch(() => undefined);
    if (!isJsonObject(found) || found["issuer"] !== issuer) continue;
    const { jwks_uri: keys } = found;
    if (typeof keys === "string" && URL.canParse(keys) && isAsSafe(keys, issuer)) return keys;
  }
  throw new KeysUnavailable("its metadata names no keys");
}

function metadataAddresses(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, "");
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === "" ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
}

function isAsSafe(keys: string, issuer: string): boolean {
  const { protocol } = new URL(keys);
  return protocol === "https:" || (protocol === "http:" && new URL(issuer).protocol === "http:");
}

async function readMetadata(address: string): Promise<unknown> {
  const response = await fetchBounded(address, {
    headers: { accept: "application/json" },
    redirect: "error",
    signal: AbortSignal.timeout(FETCH_MS),
  });
  return response.ok ? response.json() : undefined;
}

/** Reads a complete response within the size limit (SAFE-4). */
async function fetchBounded(address: string, init: RequestInit): Promise<Response> {
  const { status, headers, body } = await fetch(address, init);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest of the body.
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw new KeysUnavailable(`it answers with more than ${MAX_BYTES} bytes`);
    parts.push(part);
  }
  return new Response(Buffer.concat(parts), { status, headers: typeOf(headers) });
}

/** The other headers describe the original bytes. */
function typeOf(headers: Headers): Record<string, string> {
  const type = headers.get("content-type");
  return type === null ? {} : { "content-type": type };
}
