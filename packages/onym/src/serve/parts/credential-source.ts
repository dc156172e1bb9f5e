// The tokens of servers, for whoever connects to them: out of the store that the config names, or got by the client itself.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { hasStore, storePlaceOf } from "../../cli/decisions/with-store.js";
import { shellWord } from "../../cli/output/shell-word.js";
import type { Config } from "../../config/config.js";
import { userStateFolder } from "../../config/files/user-folders.js";
import type { Environment } from "../../config/json/expand-variables.js";
import type { DownstreamId } from "../../downstream/downstream.js";
import type { Credentials } from "../../downstream/http/credentials.js";
import type { Launch } from "../../model/launch.js";
import { createClientTokens } from "../../oauth/client-tokens.js";
import { createCredentials } from "../../oauth/create-credentials.js";
import type { OAuthSettings } from "../../oauth/grant.js";
import { createGrantStore } from "../../oauth/grant-store.js";
import { createKeptTokens } from "../../oauth/kept-tokens.js";
import type { KeyPlace } from "../../oauth/load-secret-key.js";
import type { Store } from "../../store/store.js";

export interface CredentialSource {
  /** `undefined` for a server that is never signed in to. */
  readonly credentialsFor: (id: DownstreamId, launch: Launch) => Credentials | undefined;
  /** Closes the store, where it was opened here. */
  readonly close: () => Promise<void>;
}

export const DEFAULT_OAUTH: OAuthSettings = {
  clientId: undefined,
  clientSecret: undefined,
  issuer: undefined,
  scopes: undefined,
  callbackPort: undefined,
  grant: "authorization_code",
};

/** With `open`, the store of a gateway; else it is opened when the first server needs it, and never made. */
export function createCredentialSource(config: Config, env: Environment, open?: Store): CredentialSource {
  let opened: Promise<Store> | undefined;
  const loadStore = async (): Promise<Store | undefined> => {
    if (!hasStore(config)) return undefined;
    if (open !== undefined) return open;
    const { location, isMissing } = storePlaceOf(config);
    if (isMissing) return undefined;
    const { openStore } = await import("../../store/open-store.js");
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

/** A server over HTTP, unless the config brings credentials of its own or says never. */
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

/** The user's own key, outside of every project; a key that lies beside the store from before goes on being used. */
export function keyPlaceOf(config: Config, env: Environment): KeyPlace {
  const { ONYM_SECRET_KEY: given } = env;
  const { file } = storePlaceOf(config);
  if (file === undefined) return { given, file };
  const beside = `${file}.key`;
  const own = join(userStateFolder({ platform: process.platform, env }), "secret.key");
  return { given, file: existsSync(beside) ? beside : own };
}
