// A real authorization server, as far as a resource server sees one: metadata and keys over HTTP, and tokens it signs.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from "jose";

export interface ServedIssuer {
  readonly issuer: string;
  readonly jwksUri: string;
  /** Paths that were asked for. */
  readonly asked: readonly string[];
  /** A good token unless the claims say otherwise; `undefined` takes a claim away. */
  readonly sign: (claims: Readonly<Record<string, unknown>>, key?: SigningKey) => Promise<string>;
  /** From now on it has another key, and no longer the one it signed with so far. */
  readonly withdrawKey: () => Promise<void>;
  /** From now on every answer has so many bytes more. */
  readonly pad: (bytes: number) => void;
  /** From now on nothing is answered but 500. */
  readonly fail: () => void;
  readonly close: () => Promise<void>;
}

export interface SigningKey {
  readonly kid: string;
  readonly privateKey: GenerateKeyPairResult["privateKey"];
}

export async function makeKey(kid: string): Promise<SigningKey & GenerateKeyPairResult> {
  return { kid, ...(await generateKeyPair("ES256", { extractable: true })) };
}

export async function serveIssuer(): Promise<ServedIssuer> {
  let own = await makeKey("one");
  const asked: string[] = [];
  let isDown = false;
  let padding = "";
  let keys = await keySetOf(own);
  const server = createServer((req, res) => {
    asked.push(req.url ?? "");
    const answers = new Map<string, unknown>([
      ["/jwks", keys],
      ["/.well-known/oauth-authorization-server", { issuer: origin, jwks_uri: `${origin}/jwks` }],
    ]);
    const answer = isDown ? undefined : answers.get(req.url ?? "");
    res.writeHead(isDown ? 500 : answer === undefined ? 404 : 200, { "content-type": "application/json" });
    res.end(JSON.stringify(answer ?? {}) + padding);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer: origin,
    jwksUri: `${origin}/jwks`,
    asked,
    sign(claims, { kid, privateKey } = own) {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: origin, sub: "ann", iat: now, exp: now + 600, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg: "ES256", kid, typ: "at+jwt" }).sign(privateKey);
    },
    async withdrawKey() {
      own = await makeKey("next");
      keys = await keySetOf(own);
    },
    pad(bytes) {
      padding = " ".repeat(bytes);
    },
    fail() {
      isDown = true;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function keySetOf({ kid, publicKey }: SigningKey & GenerateKeyPairResult) {
  return { keys: [{ ...(await exportJWK(publicKey)), kid, alg: "ES256", use: "sig" }] };
}
