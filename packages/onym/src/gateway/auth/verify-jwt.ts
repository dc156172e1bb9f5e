// Verifies one access token of an authorization server: its claims, or why it is rejected. jose checks
// signature, issuer, audience and time; this file decides what to trust.

import { isJsonObject, type JsonObject } from "../../mcp/json.js";
import type { IssuerSettings } from "../../model/auth-settings.js";
import { type IssuerKeys, KeysUnavailable } from "./issuer-keys.js";

export type Verified =
  | { readonly kind: "claims"; readonly claims: JsonObject; readonly sub: string; readonly expiresAt: number }
  | { readonly kind: "bad"; readonly reason: string }
  | { readonly kind: "unavailable"; readonly cause: string };

/** Only asymmetric signatures by the issuer's key: no shared secret, and never `none`. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const SKEW_SECONDS = 5;
const MAX_SUBJECT_LENGTH = 255;

const REASONS: ReadonlyMap<string, string> = new Map([
  ["ERR_JWT_EXPIRED", "the token has expired"],
  ["ERR_JWS_SIGNATURE_VERIFICATION_FAILED", "the signature of the token is wrong"],
  ["ERR_JWKS_NO_MATCHING_KEY", "the token is signed with a key that its issuer does not have"],
  ["ERR_JOSE_ALG_NOT_ALLOWED", "the token is signed in a way that is not taken"],
]);

/** The keys could not be fetched or read. */
const KEY_ERRORS: ReadonlySet<string> = new Set(["ERR_JWKS_TIMEOUT", "ERR_JWKS_INVALID", "ERR_JOSE_GENERIC"]);

export async function verifyJwt(
  token: string,
  input: {
    readonly issuer: IssuerSettings;
    readonly audience: readonly string[];
    readonly keys: IssuerKeys;
    readonly now: number;
  },
): Promise<Verified> {
  try {
    const { jwtVerify } = await import("jose");
    const { payload } = await jwtVerify(token, await input.keys.load(), {
      issuer: input.issuer.issuer,
      audience: [...input.audience],
      algorithms: ALGORITHMS,
      requiredClaims: ["exp", "sub"],
      clockTolerance: SKEW_SECONDS,
      currentDate: new Date(input.now),
    });
    const { sub, exp } = payload;
    if (typeof sub !== "string" || sub === "" || sub.length > MAX_SUBJECT_LENGTH || typeof exp !== "number")
      return { kind: "bad", reason: "the token does not say whose it is" };
    return { kind: "claims", claims: payload, sub, expiresAt: (exp + SKEW_SECONDS) * 1000 };
  } catch (error) {
    return explainFailure(error);
  }
}

function explainFailure(error: unknown): Verified {
  if (error instanceof KeysUnavailable) return { kind: "unavailable", cause: error.message };
  const code = isJsonObject(error) || error instanceof Error ? Reflect.get(error, "code") : undefined;
  // Anything that is not a jose error comes from the network.
  if (typeof code !== "string" || !code.startsWith("ERR_J") || KEY_ERRORS.has(code))
    return { kind: "unavailable", cause: "its keys cannot be fetched" };
  if (code === "ERR_JWT_CLAIM_VALIDATION_FAILED") {
    const claim = Reflect.get(Object(error), "claim");
    const reason =
      claim === "aud"
        ? "the token is meant for another server"
        : claim === "iss"
          ? "the token is of another issuer"
          : "a claim of the token does not hold";
    return { kind: "bad", reason };
  }
  return { kind: "bad", reason: REASONS.get(code) ?? "the token is no valid access token" };
}
