// The tokens of servers for their connections: from the store that the config names, or obtained by the
// client itself.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.js";
import { userStateFolder } from "../config/files/user-folders.js";
import type { Environment } from "../config/json/expand-variables.js";
import type { DownstreamId } from "../downstream/downstream.js";
import type { Credentials } from "../downstream/http/credentials.js";
import type { Launch, OAuthLaunch } from "../model/launch.js";
import { createClientTokens } from "../oauth/client-tokens.js";
import { createCredentials } from "../oauth/create-credentials.js";
import { createGrantStore } from "../oauth/grant-store.js";
import { createKeptTokens } from "../oauth/kept-tokens.js";
import type { KeyPlace } from "../oauth/load-secret-key.js";
import { shellWord } from "../output/wording.js";
import type { Store } from "../store/store.js";
import { hasStore, storePlaceOf } from "./store-place.js";

export interface CredentialSource {
  /** `undefined` for a server without sign-in. */
  readonly credentialsFor: (id: DownstreamId, launch: Launch) => Credentials | undefined;
  /** Closes the store if it was opened here. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_OAUTH: OAuthLaunch = {
  clientId: undefined,
  clientSecret: undefined,
  issuer: undefined,
  scopes: undefined,
  callbackPort: undefined,
  grant: "authorization_code",
};

/**
 * `open` is the gateway's store; without it, the store is opened when the first server needs it, and never
 * created.
 */
export function createCredentialSource(config: Config, env: Environment, open?: Store): CredentialSource {
  let opened: Promise<Store> | undefined;
  const loadStore = async (): Promise<Store | undefined> => {
    if (!hasStore(config)) return undefined;
    if (open !== undefined) return open;
    const { location, isMissing } = storePlaceOf(config);
    if (isMissing) return undefined;
    const { openStore } = await import("../store/open-store.js");
    opened ??= openStore({ location, folder: config.folder });
    return opened;
  };
  return {
    credentialsFor(id, launch) {
      if (!mayNeedSignIn(launch)) return undefined;
      const settings = launch.oauth || DEFAULT_OAUTH;
      const isClient = settings.grant === "client_credentials";
      const command = loginCommand(id);
      const now = Date.now;
      return createCredentials({
        source: isClient
          ? createClientTokens({ url: new URL(launch.url), settings, now })
          : createKeptTokens({
              settings,
              command,
              now,
              openGrants: async () => {
                const store = await loadStore();
                if (store === undefined) return undefined;
                return createGrantStore(store.secrets, keyPlaceOf(config, env), { ...id, url: launch.url });
              },
            }),
        command,
        isConfigured: Boolean(launch.oauth),
        watch: isClient || !hasStore(config) ? undefined : open?.watch,
        now,
      });
    },
    close: async () => {
      const store = await opened?.catch(() => undefined);
      await store?.close();
    },
  };
}

export type SignInLaunch = Extract<Launch, { readonly kind: "http" | "sse" }>;

/** An HTTP server, unless the config has its credentials or disables sign-in. */
export function mayNeedSignIn(launch: Launch): launch is SignInLaunch {
  if (launch.kind !== "http" && launch.kind !== "sse") return false;
  if (launch.oauth === false || !URL.canParse(launch.url)) return false;
  return new URL(launch.url).username === "" && ![...launch.headers.keys()].some(isAuthorization);
}

function isAuthorization(name: string): boolean {
  return name.toLowerCase() === "authorization";
}

function loginCommand({ server, toolbox }: DownstreamId): string {
  const box = toolbox === undefined ? "" : ` --toolbox ${shellWord(toolbox)}`;
  return `onym login ${shellWord(server)}${box}`;
}

/** The user's own key, outside of every project. An earlier key beside the store stays in use. */
export function keyPlaceOf(config: Config, env: Environment): KeyPlace {
  const { ONYM_SECRET_KEY: given } = env;
  const { file } = storePlaceOf(config);
  if (file === undefined) return { given, file };
  const beside = `${file}.key`;
  const own = join(userStateFolder({ platform: process.platform, env }), "secret.key");
  return { given, file: existsSync(beside) ? beside : own };
}
