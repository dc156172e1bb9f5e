// Where a server's tokens come from: its protected-resource metadata (RFC 9728), found by its challenge or at the usual places.

import { quoteText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { OAuthLaunch } from "../../model/launch.js";
import { isSameIssuer, textOf } from "../grant.js";
import { checkAddress, signInError } from "./check-address.js";
import { fetchJson } from "./fetch-json.js";
import { type Challenge, parseChallenge } from "./parse-challenge.js";

export interface ProtectedResource {
  /** Whom tokens are to be meant for. */
  readonly resource: string;
  readonly issuer: URL;
  /** What to ask for, where the config does not say: the challenge before the metadata. */
  readonly scope: string | undefined;
  /** The status of an answer that asks for no sign-in, where nothing else does either; `undefined` for all others. */
  readonly unasked: number | undefined;
}

/** Any request will do to be told what is needed; this one changes nothing. */
const PROBE = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** @throws OnymError `sign-in-failed`. */
export async function discoverResource(
  server: URL,
  { issuer: only }: Pick<OAuthLaunch, "issuer">,
  signal?: AbortSignal,
): Promise<ProtectedResource> {
  checkAddress(server.origin, "The address of the server", server);
  const { challenge, status } = await readChallenge(server, signal);
  const found = await findMetadata(server, challenge, signal);
  // Servers from before RFC 9728 are their own authorization servers.
  if (found === undefined)
    return {
      resource: withoutFragment(server),
      issuer: chooseIssuer([server.origin], only, server),
      scope: challenge?.scope,
      unasked: challenge === undefined && status !== 401 && status !== 403 ? status : undefined,
    };
  const resource = checkResource(textOf(found, "resource"), server);
  const issuers = found["authorization_servers"];
  const scopes = found["scopes_supported"];
  const listed = Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === "string").join(" ") : "";
  return {
    resource,
    issuer: chooseIssuer(Array.isArray(issuers) ? issuers : [], only, server),
    scope: challenge?.scope ?? (listed === "" ? undefined : listed),
    unasked: undefined,
  };
}

/** A secret of the config must not go to whomever a server names; a server may name several. */
function chooseIssuer(named: readonly unknown[], only: string | undefined, server: URL): URL {
  const [first] = named;
  if (first === undefined)
    throw signInError(
      "The server names no authorization server in its metadata.",
      'Ask its operator, or give a token in "headers".',
    );
  const chosen =
    only === undefined ? first : named.find((each) => typeof each === "string" && isSameIssuer(each, only));
  if (chosen !== undefined) return checkAddress(chosen, "The authorization server", server);
  throw signInError(
    `The server names the authorization server ${quoteText(String(first), 120)}, and the config ${quoteText(only ?? "", 120)}.`,
    'Nothing was sent there. If the server has really moved, change "oauth.issuer" in its entry.',
  );
}

async function readChallenge(
  server: URL,
  signal: AbortSignal | undefined,
): Promise<{ readonly challenge: Challenge | undefined; readonly status: number }> {
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  const answer = await fetchJson(server, { server, method: "POST", headers, body: PROBE, signal });
  if (answer.kind === "failed")
    throw signInError(`${answer.reason}.`, "Is the server running, and is its url right?");
  const challenge = parseChallenge(answer.headers["www-authenticate"]);
  return { challenge, status: answer.status };
}

/** The address that the server names must hold; the usual ones may be empty. */
async function findMetadata(
  server: URL,
  challenge: Challenge | undefined,
  signal: AbortSignal | undefined,
): Promise<JsonObject | undefined> {
  if (challenge?.resourceMetadata !== undefined) {
    const address = checkAddress(challenge.resourceMetadata, "The metadata of the server", server);
    const answer = await fetchJson(address, { server, signal });
    if (answer.kind === "answer" && answer.status === 200 && answer.body !== undefined) return answer.body;
    const why = answer.kind === "failed" ? answer.reason : `HTTP ${answer.status} without metadata`;
    throw signInError(`The metadata that the server names cannot be had: ${why}.`, "Ask its operator.");
  }
  const wellKnown = `${server.origin}/.well-known/oauth-protected-resource`;
  const path = server.pathname.replace(/\/$/, "");
  for (const address of new Set([wellKnown + path, wellKnown])) {
    const answer = await fetchJson(new URL(address), { server, signal });
    if (answer.kind === "answer" && answer.status === 200 && answer.body !== undefined) return answer.body;
  }
  return undefined;
}

/** A token for another resource must not come here, nor one for this resource be asked for in another's name. */
function checkResource(resource: string | undefined, server: URL): string {
  const url = resource !== undefined && URL.canParse(resource) ? new URL(resource) : undefined;
  const base = url?.pathname.replace(/\/$/, "") ?? "";
  const isOurs =
    url?.origin === server.origin &&
    (server.pathname === base || `${server.pathname}/`.startsWith(`${base}/`));
  if (resource !== undefined && isOurs) return resource;
  const named = resource === undefined ? "no resource" : quoteText(resource, 120);
  throw signInError(
    `The metadata of the server is about ${named}, not about ${quoteText(`${server.origin}${server.pathname}`, 120)}.`,
    'Check "url" in the config; no token was asked for.',
  );
}

function withoutFragment(server: URL): string {
  const url = new URL(server);
  url.hash = "";
  return url.href;
}
