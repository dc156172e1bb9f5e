// Signing in to servers from the console: the same flow as `onym login`, begun here and ended in whoever's browser opens the address.

import { DEFAULT_OAUTH, keyPlaceOf, mayNeedSignIn } from "../configured/credential-source.js";
import type { DownstreamId } from "../downstream/downstream.js";
import { OnymError } from "../model/onym-error.js";
import { createGrantStore } from "../oauth/grant-store.js";
import type { Answer, ConsoleContext } from "./console-context.js";

export interface SignIns {
  /** The address to open. The same one as long as nobody has opened it and it still counts. */
  readonly begin: (id: DownstreamId) => Promise<Answer<{ readonly address: string }>>;
  /** What is in progress for a server, or why the last attempt came to nothing. */
  readonly of: (id: DownstreamId) => SignInState | undefined;
}

export type SignInState =
  | { readonly kind: "waiting"; readonly address: string }
  | { readonly kind: "failed"; readonly error: string };

const WAIT_MS = 300_000;
const HERE = "The gateway must run where the browser does: the answer comes back to 127.0.0.1.";

export function createSignIns(
  context: Pick<ConsoleContext, "gateway" | "store" | "config" | "env" | "now" | "log">,
): SignIns {
  const states = new Map<string, SignInState>();
  const keyOf = ({ server, toolbox }: DownstreamId): string => JSON.stringify([toolbox ?? null, server]);
  return {
    of: (id) => states.get(keyOf(id)),
    async begin(id) {
      const key = keyOf(id);
      const known = states.get(key);
      if (known?.kind === "waiting") return { ok: true, value: { address: known.address } };
      const { store, gateway, config, env, log, now } = context;
      const found = gateway
        .downstreams()
        .find(({ id: each }) => each.server === id.server && each.toolbox === id.toolbox);
      if (found === undefined || !mayNeedSignIn(found.launch))
        return { ok: false, status: 404, error: "There is no such server, or nobody signs in to it." };
      if (store === undefined)
        return { ok: false, status: 409, error: 'Nothing is kept here: give the config a "store" first.' };
      const { launch } = found;
      const grants = createGrantStore(store.secrets, keyPlaceOf(config(), env), { ...id, url: launch.url });
      const facts = { server: id.server, toolbox: id.toolbox };
      return new Promise((resolve) => {
        const run = async (): Promise<void> => {
          const kept = await grants.read();
          // What cannot be read may be somebody's only way in: it is not written over.
          if (kept.kind === "unreadable") throw new OnymError("sign-in-failed", kept.reason, kept.hint);
          grants.checkKey();
          const { signIn } = await import("../oauth/sign-in.js");
          const grant = await signIn({
            url: new URL(launch.url),
            settings: launch.oauth || DEFAULT_OAUTH,
            more: [],
            kept: kept.kind === "grant" ? kept.grant : undefined,
            waitMs: WAIT_MS,
            now,
            onAddress(address) {
              states.set(key, { kind: "waiting", address });
              resolve({ ok: true, value: { address } });
            },
          });
          await grants.write(grant);
          states.delete(key);
          log("info", "signed in to a server by the console", facts);
        };
        run().catch((error: unknown) => {
          const said = error instanceof OnymError ? `${error.message} ${error.hint}` : "Internal error.";
          log("warn", "a sign-in from the console failed", { ...facts, reason: said });
          states.set(key, { kind: "failed", error: `${said} ${HERE}` });
          resolve({ ok: false, status: 409, error: said });
        });
      });
    },
  };
}
