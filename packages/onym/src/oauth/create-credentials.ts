// The tokens of one server while it is in use: in memory for each request, renewed before they run out or when refused.

import { quoteText } from "@onym/core";
import type { Credentials, Obtained } from "../downstream/http/credentials.js";
import { OnymError } from "../model/onym-error.js";
import type { LoadedTokens, TokenSource, Tokens, Trouble } from "./grant.js";
import { type Challenge, parseChallenge } from "./protocol/parse-challenge.js";

export interface CredentialsOptions {
  readonly source: TokenSource;
  /** What to run to sign in. */
  readonly command: string;
  /** The config has `oauth` for this server. */
  readonly isConfigured: boolean;
  /** Calls the listener when the store has changed; returns how to stop. */
  readonly watch?: ((listener: () => void) => () => void) | undefined;
  readonly now: () => number;
}

type State =
  | { readonly kind: "unread" | "none" }
  | { readonly kind: "tokens"; readonly tokens: Tokens; readonly header: string; readonly renewAt: number }
  | { readonly kind: "trouble"; readonly trouble: Trouble };

/** Renewed when the last fifth of a life begins, at most so early. */
const EARLY_MS = 60_000;

export function createCredentials(options: CredentialsOptions): Credentials {
  const { source, command, isConfigured, watch, now } = options;
  let state: State = { kind: "unread" };
  let working: Promise<State> | undefined;
  let onSignIn = (): void => {};
  /** What was sent lately may still be echoed. */
  let former: Tokens | undefined;

  const adopt = (loaded: LoadedTokens): State => {
    if (state.kind === "tokens") former = state.tokens;
    if (loaded.kind !== "tokens") state = loaded;
    else state = { ...loaded, header: `Bearer ${loaded.tokens.access}`, renewAt: renewAt(loaded.tokens) };
    return state;
  };
  /** One at a time; who comes meanwhile gets the same. */
  const work = (job: () => Promise<LoadedTokens>): Promise<State> => {
    working ??= job()
      .catch((error: unknown) => ({ kind: "trouble" as const, trouble: describe(error) }))
      .then((loaded) => {
        working = undefined;
        return adopt(loaded);
      });
    return working;
  };
  const isOver = ({ expiresAt }: Tokens): boolean => expiresAt !== undefined && now() >= expiresAt;
  const renew = (spent: string): Promise<State> => work(() => source.renew(spent));
  /** What is there in place of what was refused. */
  const replace = async (held: State, sent: string): Promise<State> => {
    if (held.kind === "trouble") return held;
    if (held.kind !== "tokens") return work(source.load);
    return held.header === sent ? renew(held.tokens.access) : held;
  };
  const result = (after: State): Obtained => {
    if (after.kind === "trouble") return { kind: "trouble", ...after.trouble };
    return { kind: "header", header: after.kind === "tokens" ? after.header : "" };
  };

  const look = createLook(async () => {
    const before = state.kind;
    // Requests in flight read the store anyway, and the next one reports a read that fails.
    if (before === "unread" || working !== undefined) return;
    const loaded = await source.load().catch(() => undefined);
    if (loaded === undefined || working !== undefined) return;
    if (loaded.kind === "none" && state.kind === "trouble") return;
    if (adopt(loaded).kind === "tokens" && before !== "tokens") onSignIn();
  });
  const stop = watch?.(look);

  return {
    header() {
      if (state.kind === "none") return "";
      if (state.kind !== "tokens") return undefined;
      const { tokens, header } = state;
      if (now() < state.renewAt) return header;
      if (isOver(tokens)) return undefined;
      // Good for a little while yet: nobody has to wait.
      if (working === undefined) void renewEarly(tokens);
      return header;
    },
    async obtain() {
      if (working !== undefined) return result(await working);
      if (state.kind === "tokens")
        return result(isOver(state.tokens) ? await renew(state.tokens.access) : state);
      const after = await work(source.load);
      // Most servers want no token: they do not wait for a store that is away.
      if (after.kind === "trouble" && after.trouble.isUnknown === true && !isConfigured)
        return { kind: "header", header: "" };
      return result(after);
    },
    async refused({ status, sent, challenge: header }) {
      const challenge = parseChallenge(header);
      if (status === 403) return lacking(challenge, sent);
      const after = await replace(working === undefined ? state : await working, sent);
      if (after.kind !== "none") return result(after);
      const knowsOAuth = isConfigured || challenge?.resourceMetadata !== undefined;
      if (sent === "" && !knowsOAuth) return result(after);
      const hint = `Run ${command}; it then comes up by itself.`;
      return result(
        adopt({ kind: "trouble", trouble: { reason: "it needs a sign-in", hint, needsSignIn: true } }),
      );
    },
    needsSignIn: () => state.kind === "trouble" && state.trouble.needsSignIn,
    onSignIn(listener) {
      onSignIn = listener;
    },
    secrets: () =>
      [state.kind === "tokens" ? state.tokens : undefined, former].flatMap((tokens) =>
        [tokens?.access, tokens?.refresh].filter((text) => text !== undefined),
      ),
    close() {
      stop?.();
      onSignIn = () => {};
    },
  };

  /** More rights are a person's to give. */
  function lacking(challenge: Challenge | undefined, sent: string): Obtained {
    if (sent === "" || challenge?.error !== "insufficient_scope") return { kind: "header", header: sent };
    const { scope } = challenge;
    return {
      kind: "trouble",
      reason: `the sign-in is not good for this${scope === undefined ? "" : `: it wants the scope ${quoteText(scope, MAX_SCOPE)}`}`,
      hint: `Run ${command} --scope ${scope !== undefined && isPlainScope(scope) ? scope : "SCOPE"}.`,
    };
  }

  /** What fails now is tried again when it has run out. */
  async function renewEarly(tokens: Tokens): Promise<void> {
    const held = state;
    const after = await renew(tokens.access);
    if (after.kind === "trouble" && !after.trouble.needsSignIn && held.kind === "tokens")
      state = { ...held, renewAt: tokens.expiresAt ?? Number.POSITIVE_INFINITY };
  }
}

const MAX_SCOPE = 120;

/** People run the command that a hint shows, so the server's words may be no options and no other words of a shell. */
function isPlainScope(scope: string): boolean {
  return scope.length <= MAX_SCOPE && scope.split(" ").every((word) => /^[\w:./][\w:./-]*$/.test(word));
}

function renewAt({ issuedAt, expiresAt }: Tokens): number {
  if (expiresAt === undefined) return Number.POSITIVE_INFINITY;
  return expiresAt - Math.min(EARLY_MS, (expiresAt - issuedAt) / 5);
}

/** A store that cannot be read; its own message says why. */
function describe(error: unknown): Trouble {
  const isOurs = error instanceof OnymError;
  return {
    reason: isOurs
      ? `its tokens cannot be had: ${error.message}`
      : "its tokens cannot be had: an internal error",
    hint: isOurs ? error.hint : "Please report it.",
    needsSignIn: false,
    isUnknown: true,
  };
}

/** One at a time, and once more where something changed meanwhile. */
function createLook(look: () => Promise<void>): () => void {
  let looking: Promise<void> | undefined;
  let again = false;
  const begin = (): void => {
    again = looking !== undefined;
    looking ??= look().finally(() => {
      looking = undefined;
      if (again) begin();
    });
  };
  return begin;
}
