// Tokens that a client gets for itself with its id and secret. They are not kept: another start gets others.

import type { OAuthLaunch } from "../model/launch.js";
import { OnymError } from "../model/onym-error.js";
import { configuredClient } from "./choose-client.js";
import type { LoadedTokens, TokenSource } from "./grant.js";
import { askForTokens } from "./protocol/ask-for-tokens.js";
import { discoverIssuer, type IssuerMetadata } from "./protocol/discover-issuer.js";
import { discoverResource, type ProtectedResource } from "./protocol/discover-resource.js";

export interface ClientTokensOptions {
  readonly url: URL;
  readonly settings: OAuthLaunch;
  readonly now: () => number;
}

export function createClientTokens({ url, settings, now }: ClientTokensOptions): TokenSource {
  let found: { readonly resource: ProtectedResource; readonly issuer: IssuerMetadata } | undefined;
  const trouble = (reason: string, hint: string): LoadedTokens => ({
    kind: "trouble",
    trouble: { reason, hint, needsSignIn: false },
  });
  const discover = async () => {
    const resource = await discoverResource(url, settings);
    return { resource, issuer: await discoverIssuer(resource.issuer, url) };
  };
  const load = async (): Promise<LoadedTokens> => {
    try {
      found ??= await discover();
    } catch (error) {
      if (!(error instanceof OnymError)) throw error;
      return trouble(`it could not sign in: ${error.message.replace(/\.$/, "")}`, error.hint);
    }
    const { resource, issuer } = found;
    const client = configuredClient(settings, issuer.methods);
    if (client === undefined) return { kind: "none" };
    const scope = settings.scopes?.join(" ") ?? resource.scope ?? "";
    const answer = await askForTokens({
      server: url,
      endpoint: issuer.tokenEndpoint,
      client,
      parameters: {
        grant_type: "client_credentials",
        resource: resource.resource,
        ...(scope === "" ? {} : { scope }),
      },
      now,
    });
    if (answer.kind === "tokens") return { kind: "tokens", tokens: answer.tokens };
    const why = `its authorization server gave no token: ${answer.reason}`;
    return trouble(
      why,
      answer.kind === "refused" ? 'Check "oauth" in its config entry.' : "It is tried again.",
    );
  };
  return { load, renew: load };
}
