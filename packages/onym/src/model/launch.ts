// How a downstream is reached. The fingerprint is what an approval is bound to beside the server id (POL-2).

import { createHash } from "node:crypto";

export type Launch =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Beside the safe part of Onym's own environment. */
      readonly env: ReadonlyMap<string, string>;
      /** What relative words refer to, and where it starts, unless it has a folder of its own. */
      readonly cwd: string;
      /** Where it starts instead; made when it is started. No part of the fingerprint: it says nothing of what is reached. */
      readonly ownFolder?: string;
      readonly isolation?: Isolation;
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
      /** How to sign in there, where the config says it; `false`: never. */
      readonly oauth?: OAuthLaunch | false;
    }
  /** Tools that stand in the config; there is nothing to call. */
  | { readonly kind: "static" }
  /** The config does not say enough, or nobody allowed it: nothing is started until it changes. */
  | {
      readonly kind: "unusable";
      /** Why, for programs. */
      readonly code: "missing-variable" | "editor-variable" | "untrusted";
      /** The variable that is not set, where that is why. */
      readonly variable: string | undefined;
      /** Both are for people: one line, no secrets. */
      readonly reason: string;
      readonly hint: string;
    };

/** What stands between a started server and Onym's own files (SAFE-7). */
export type Isolation =
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  | {
      readonly kind: "bubblewrap";
      /** The only folder that it may write to beside a written `cwd`; its HOME. */
      readonly home: string;
      readonly writesCwd: boolean;
      /** Files and folders of Onym that it must not see. */
      readonly hidden: readonly string[];
    };

export interface OAuthLaunch {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  readonly issuer: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly callbackPort: number | undefined;
  readonly grant: "authorization_code" | "client_credentials";
}

/**
 * Says whether two launches reach the same thing: what is started or called, and with which settings.
 * Secrets enter only through the hash.
 */
export function launchFingerprint(launch: Launch): string {
  const known = fingerprints.get(launch);
  if (known !== undefined) return known;
  const made = createHash("sha256")
    .update(JSON.stringify(launchParts(launch)))
    .digest("hex");
  fingerprints.set(launch, made);
  return made;
}

/** Every call is bound to one; a launch never changes. */
const fingerprints = new WeakMap<Launch, string>();

function launchParts(launch: Launch): readonly unknown[] {
  switch (launch.kind) {
    case "stdio":
      return [
        "stdio",
        launch.command,
        launch.args,
        sorted(launch.env),
        launch.cwd,
        ...isolationParts(launch.isolation),
      ];
    case "http":
    case "sse":
      return [launch.kind, launch.url, sorted(launch.headers), ...oauthParts(launch.oauth)];
    case "static":
      return ["static"];
    case "unusable":
      return ["unusable", launch.code, launch.reason];
  }
}

/** Absent where there is none, so that approvals from before go on holding. */
function isolationParts(isolation: Isolation | undefined): readonly unknown[] {
  if (isolation === undefined) return [];
  return [isolation.kind === "prefix" ? ["prefix", ...isolation.words] : ["bubblewrap"]];
}

/** Who Onym is there; how it is told so is no part of that. */
function oauthParts(oauth: OAuthLaunch | false | undefined): readonly unknown[] {
  if (oauth === undefined || oauth === false) return [];
  return [[oauth.grant, oauth.clientId ?? null, oauth.clientSecret ?? null, oauth.scopes ?? null]];
}

function sorted(map: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
