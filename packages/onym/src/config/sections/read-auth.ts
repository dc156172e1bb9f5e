// The section `auth` → who may connect, without a doubtful entry. No secret is ever shown: what stands where a digest
// belongs may be one (SAFE-1, CFG-2).

import { quoteText } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import * as z from "zod/mini";
import {
  type AuthSettings,
  type CallerTerms,
  type GrantSettings,
  type IssuerSettings,
  LOCAL_PRINCIPAL,
  type TokenSettings,
} from "../../model/auth-settings.js";
import type { ConfigProblem } from "../config-problem.js";
import type { JsonPath } from "../json/json-path.js";
import { didYouMean } from "../json/near-text.js";
import { authSection } from "../schema/auth-schema.js";
import type { ConfigFile } from "../schema/config-schema.js";
import { checkProfileId, type Note } from "./read-profiles.js";

export interface AuthConfig extends AuthSettings {
  /** The address that clients use. */
  readonly url: string | undefined;
}

type Written = NonNullable<ConfigFile["auth"]>;
type WrittenToken = NonNullable<Written["tokens"]>[number];
type WrittenIssuer = Exclude<NonNullable<Written["oauth"]>, readonly unknown[]>;

export interface ReadAuthInput {
  readonly toolboxes: readonly string[];
  readonly profiles: ProfileSet;
  readonly note: Note;
}

const HASH = /^sha256:[0-9a-f]{64}$/;
const DAY_MS = 86_400_000;

/** Finds tokens that stand in the file themselves. Said before types are checked, whose words would repeat them. */
export function checkPlainTokens(auth: unknown, note: Note): void {
  const tokens: unknown = Object(auth).tokens;
  if (!Array.isArray(tokens)) return;
  tokens.forEach((token: unknown, index) => {
    const path = ["auth", "tokens", index];
    if (typeof token === "string") note(path, plainToken());
    const { hash } = Object(token);
    if (typeof hash === "string" && !HASH.test(hash)) note([...path, "hash"], plainToken());
    for (const key of ["token", "value", "secret"]) {
      if (Object.hasOwn(Object(token), key)) note([...path, key], plainToken());
    }
  });
}

function plainToken(): Pick<ConfigProblem, "code" | "message" | "fix"> {
  return {
    code: "plain-token",
    message: 'A token itself does not belong into a config; its digest does, as "hash": "sha256:…".',
    fix: "Run onym token NAME: it makes a token and prints the line to write here.",
  };
}

/** A section of a wrong type was reported before and lets nobody in here. */
export function readAuth(written: ConfigFile["auth"], input: ReadAuthInput): AuthConfig | undefined {
  if (written === undefined) return undefined;
  if (!z.safeParse(authSection, written).success) return { url: undefined, tokens: [], oauth: [] };
  const { tokens = [], oauth = [] } = written;
  const isList = Array.isArray(oauth);
  const issuers = (isList ? oauth : [oauth]) as readonly WrittenIssuer[];
  if (tokens.length + issuers.length === 0) {
    input.note(["auth"], {
      code: "nobody",
      message: "Nobody could connect: there is neither a token nor an authorization server.",
      fix: 'Run onym token NAME for a token, add "oauth", or leave "auth" out.',
    });
  }
  checkTwice(
    tokens.map(({ name }) => name),
    (index) => ["auth", "tokens", index, "name"],
    input.note,
  );
  checkTwice(
    tokens.map(({ hash }) => hash),
    (index) => ["auth", "tokens", index, "hash"],
    input.note,
  );
  checkTwice(
    issuers.map(({ issuer }) => issuer),
    (index) => ["auth", "oauth", index, "issuer"],
    input.note,
  );
  checkAddress(written.url, ["auth", "url"], input.note, { overNetwork: ["https:", "http:"] });
  return {
    url: written.url,
    tokens: tokens.map((token, index) => readToken(token, ["auth", "tokens", index], input)),
    oauth: issuers.map((issuer, index) =>
      readIssuer(issuer, ["auth", "oauth", ...(isList ? [index] : [])], input),
    ),
  };
}

function readToken(token: WrittenToken, path: JsonPath, input: ReadAuthInput): TokenSettings {
  const { name, hash, expires } = token;
  if (name === LOCAL_PRINCIPAL) {
    input.note([...path, "name"], {
      code: "bad-name",
      message: `The name "${LOCAL_PRINCIPAL}" is that of callers over stdio.`,
      fix: "Give the token another name.",
    });
  }
  return {
    name,
    hash: hash.slice("sha256:".length),
    ...readTerms(token, path, input),
    expiresAt: expires === undefined ? undefined : endOf(expires),
  };
}

/** A day is over at its end, in UTC. */
function endOf(expires: string): number {
  return /^\d{4}-\d\d-\d\d$/.test(expires) ? Date.parse(expires) + DAY_MS : Date.parse(expires);
}

function readIssuer(written: WrittenIssuer, path: JsonPath, input: ReadAuthInput): IssuerSettings {
  const { issuer, audience = [], jwksUri, scopes = [], map } = written;
  checkAddress(issuer, [...path, "issuer"], input.note);
  checkAddress(jwksUri, [...path, "jwksUri"], input.note);
  scopes.forEach((scope, index) => {
    checkScope(scope, [...path, "scopes", index], input.note);
  });
  return {
    issuer,
    audience: typeof audience === "string" ? [audience] : audience,
    jwksUri,
    scopes,
    map: map?.map((grant, index): GrantSettings => {
      const at = [...path, "map", index];
      if (grant.scope !== undefined) checkScope(grant.scope, [...at, "scope"], input.note);
      return { ...readTerms(grant, at, input), claims: grant.claims ?? {}, scope: grant.scope };
    }),
  };
}

function readTerms(
  { profile, as, toolboxes }: Pick<WrittenToken, "profile" | "as" | "toolboxes">,
  path: JsonPath,
  { toolboxes: known, profiles, note }: ReadAuthInput,
): CallerTerms {
  const mistaken =
    profile === undefined
      ? undefined
      : checkProfileId(profile, profiles, "Write an id that onym profiles lists.");
  if (mistaken !== undefined) note([...path, "profile"], mistaken);
  if (toolboxes?.length === 0) {
    note([...path, "toolboxes"], {
      code: "no-toolbox",
      message: "A caller with no toolbox sees nothing.",
      fix: "Name at least one, or leave the key out for everything.",
    });
  }
  toolboxes?.forEach((toolbox, index) => {
    if (known.includes(toolbox)) return;
    note([...path, "toolboxes", index], {
      code: "unknown-toolbox",
      message: `There is no toolbox ${quoteText(toolbox)}.`,
      fix: `${didYouMean(toolbox, known)}Name a toolbox of this file.`,
    });
  });
  return { profile, as, toolboxes };
}

function checkTwice(texts: readonly string[], placeOf: (index: number) => JsonPath, note: Note): void {
  texts.forEach((text, index) => {
    if (texts.indexOf(text) === index) return;
    note(placeOf(index), {
      code: "duplicate",
      message: "This stands in another entry too, so it would not be known who is meant.",
      fix: "Give each entry its own.",
    });
  });
}

/** Keys that are fetched in the clear over a network can be changed there. */
function checkAddress(
  text: string | undefined,
  path: JsonPath,
  note: Note,
  { overNetwork }: { readonly overNetwork: readonly string[] } = { overNetwork: ["https:"] },
): void {
  if (text === undefined) return;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isNear = url !== undefined && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isPlain = url !== undefined && url.username === "" && url.hash === "" && url.search === "";
  if (isPlain && (overNetwork.includes(url.protocol) || (url.protocol === "http:" && isNear))) return;
  note(path, {
    code: "bad-address",
    message: `${quoteText(text)} cannot be used here.`,
    fix: "Write an https address (http only on this machine), without a query and without a password.",
  });
}

/** As OAuth has it; anything else could not be written into an answer. */
function checkScope(scope: string, path: JsonPath, note: Note): void {
  if (/^[\x21\x23-\x5B\x5D-\x7E]+$/.test(scope)) return;
  note(path, {
    code: "bad-scope",
    message: `${quoteText(scope)} is no scope.`,
    fix: "Write one scope, without spaces and quotes; several are several entries.",
  });
}

/** Whether any caller is confined to toolboxes. */
export function confinesAnybody(auth: AuthConfig | undefined): boolean {
  const terms = [...(auth?.tokens ?? []), ...(auth?.oauth ?? []).flatMap(({ map }) => map ?? [])];
  return terms.some(({ toolboxes }) => toolboxes !== undefined);
}
