// Tokens that somebody signed in for, out of the store, renewed there.

import type { OAuthLaunch } from "../model/launch.js";
import type { Grant, LoadedTokens, TokenSource } from "./grant.js";
import type { GrantStore } from "./grant-store.js";
import { mayUse, renewGrant } from "./renew-grant.js";

export interface KeptTokensOptions {
  /** `undefined`: there is no store yet, so nobody signed in. */
  readonly openGrants: () => Promise<GrantStore | undefined>;
  readonly settings: OAuthLaunch;
  /** What to run to sign in. */
  readonly command: string;
  readonly now: () => number;
}

export function createKeptTokens({ openGrants, settings, command, now }: KeptTokensOptions): TokenSource {
  const signIn = (reason: string): LoadedTokens => ({
    kind: "trouble",
    trouble: {
      reason: `it needs a sign-in: ${reason}`,
      hint: `Run ${command}; it then comes up by itself.`,
      needsSignIn: true,
    },
  });
  const read = (grant: Grant): LoadedTokens => {
    const { client, tokens } = grant;
    if ((client.registeredFor === undefined ? client.id : undefined) !== settings.clientId)
      return signIn("the config names another client than the one that was signed in with");
    if (!mayUse(settings, grant))
      return signIn("the config names another authorization server than the one that was signed in at");
    return tokens === undefined ? signIn("the former one has ended") : { kind: "tokens", tokens };
  };
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return {
    async load() {
      const found = await (await openGrants())?.read();
      if (found === undefined || found.kind === "none") return { kind: "none" };
      if (found.kind === "grant") return read(found.grant);
      return { kind: "trouble", trouble: { reason: found.reason, hint: found.hint, needsSignIn: true } };
    },
    async renew(spent) {
      const grants = await openGrants();
      if (grants === undefined) return { kind: "none" };
      const renewal = await renewGrant({ grants: grants, settings, spent, now, pause });
      switch (renewal.kind) {
        case "grant":
          return read(renewal.grant);
        case "none":
          return { kind: "none" };
        case "over":
          return signIn(renewal.reason);
        case "unavailable": {
          const { reason, hint } = renewal;
          return { kind: "trouble", trouble: { reason, hint, needsSignIn: false } };
        }
      }
    },
  };
}
