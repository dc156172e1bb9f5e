// Keeps the secrets of a launch out of reasons, hints and log lines: the values of its environment, headers and variables, and
// what is masked wherever its arguments and its address are shown (SAFE-7).

import { escapeText } from "@onym/core";
import type { Launch } from "../model/launch.js";
import { secretsInArguments, secretsInUrl } from "../model/mask-secrets.js";
import { CutSecrets, HashedText, type Span, WholeSecrets } from "./find-secrets.js";

/** Untrusted text for people: one line, escaped, truncated, without secrets. */
export type HideSecrets = (text: string, max?: number) => string;

/** Shorter values are words like `1` or `dev`; hiding them would make texts unreadable. */
const SHORTEST = 4;
/** From this length on a secret is found in any case and with white space in it. Shorter ones would be found in plain text. */
const SHORTEST_ALTERED = 8;

/** Settings that are not secrets, and without which error messages are unreadable. */
const OPEN_NAMES =
  /^(?:PATH|HOME|USER|SHELL|LANG|NODE_ENV|NODE_OPTIONS|PORT|HOST|LOG_LEVEL|DEBUG|TZ|content-type|accept|user-agent)$/i;

/** Characters of a secret that are hidden at the start or end of a text that was cut within it. Fewer reveal little. */
const SHORTEST_PART = 6;
/** Longer parts are not searched for: a line is shorter. */
const LONGEST_PART = 1_000;

/** `more` returns secrets that change at run time. */
export function createHideSecrets(launch: Launch, more: () => readonly string[] = () => []): HideSecrets {
  const secrets = secretsOf(launch);
  let known: { readonly more: readonly string[]; readonly needles: Needles } | undefined;
  const needlesNow = (): Needles => {
    const current = more().filter((secret) => secret.length >= SHORTEST);
    const isSame =
      known?.more.length === current.length && current.every((secret, at) => secret === known?.more[at]);
    if (known === undefined || !isSame)
      known = { more: current, needles: new Needles([...current, ...secrets]) };
    return known.needles;
  };
  return (text, max = 300) => {
    const needles = needlesNow();
    const hidden = hideWhole(withoutColours(text.trimStart().slice(0, MAX_READ)).trim(), needles);
    const uncut = hidden
      .split(CUT)
      .map((part) => hideCutParts(part, needles))
      .join("");
    // Escaping makes no text shorter.
    const line = escapeText(
      uncut
        .trim()
        .replace(/\s+/g, " ")
        .slice(0, max + 1),
    );
    return line.length > max ? `${line.slice(0, max - 1)}…` : line;
  };
}

/** Characters of a text that are looked through: more than are shown of any. A server may send millions (SAFE-4). */
const MAX_READ = 20_000;

const HIDDEN = "[hidden]";

/** Secrets, and how they are looked for. */
class Needles {
  /** Short ones as they are. */
  readonly short: WholeSecrets;
  /** Others in lower case without white space. */
  readonly altered: WholeSecrets;
  /** What a text may begin or end with of them. */
  readonly cut: CutSecrets;

  constructor(secrets: readonly string[]) {
    const altered = secrets.map((secret) => withoutCaseAndSpace(secret).text);
    const isLong = (at: number): boolean => (altered[at]?.length ?? 0) >= SHORTEST_ALTERED;
    this.short = new WholeSecrets(
      secrets.filter((_, at) => !isLong(at)),
      SHORTEST,
    );
    this.altered = new WholeSecrets(
      altered.filter((_, at) => isLong(at)),
      SHORTEST_ALTERED,
    );
    this.cut = new CutSecrets(secrets, { shortest: SHORTEST_PART, longest: LONGEST_PART });
  }
}

const ESCAPE = "\u001B";
/** What follows an escape character to set a colour, move the cursor or choose a character set. */
const CONTROL_SEQUENCE = /^(?:\[[0-?]*[ -/]*[@-~]|[()][0-9A-B])/;

/** Programs paint parts of their texts, so that a secret may have escape sequences in it. */
function withoutColours(text: string): string {
  const [first = "", ...others] = text.replaceAll("\u009B", `${ESCAPE}[`).split(ESCAPE);
  return others.reduce((shown, rest) => {
    const [sequence] = CONTROL_SEQUENCE.exec(rest) ?? [];
    return shown + (sequence === undefined ? ESCAPE + rest : rest.slice(sequence.length));
  }, first);
}

const CAPITAL = /\p{Changes_When_Lowercased}/gu;

/** The text in lower case without white space, and where each character of it stood. */
function withoutCaseAndSpace(text: string): {
  readonly text: string;
  readonly placeOf: (at: number) => number;
} {
  const isPlain = /^[\0-\x7F]*$/.test(text);
  const lower = isPlain ? text.toLowerCase() : text.replace(CAPITAL, lowerCase);
  if (!/\s/.test(lower)) return { text: lower, placeOf: (at) => at };
  const places: number[] = [];
  for (const { index, 0: word } of lower.matchAll(/\S+/g))
    for (let at = 0; at < word.length; at += 1) places.push(index + at);
  return { text: lower.replace(/\s+/g, ""), placeOf: (at) => places[at] ?? 0 };
}

/** Of one character, where that is one, too. */
function lowerCase(character: string): string {
  const lower = character.toLowerCase();
  return lower.length === 1 ? lower : character;
}

/**
 * Overlapping secrets are hidden together, so that one within another leaves nothing behind. A text that would have to be
 * compared with too many is hidden as a whole.
 */
function hideWhole(text: string, needles: Needles): string {
  const { text: folded, placeOf } = withoutCaseAndSpace(text);
  const short = needles.short.find(text);
  const altered = needles.altered.find(folded);
  if (short === undefined || altered === undefined) return HIDDEN;
  const found = [...short, ...altered.map(([start, end]): Span => [placeOf(start), placeOf(end - 1) + 1])];
  let [shown, end] = ["", 0];
  for (const [start, until] of found.sort(([a], [b]) => a - b)) {
    if (start >= end) shown += text.slice(end, start) + HIDDEN;
    end = Math.max(end, until);
  }
  return shown + text.slice(end);
}

/** How programs show that they left something out. */
const CUT = /(\.{3,}|…|\*{3,})/;

/** Hides what a text begins or ends with of a secret whose rest is on another line, or was cut off. */
function hideCutParts(text: string, needles: Needles): string {
  if (!needles.cut.mayBeIn(text)) return text;
  const hashed = new HashedText(text);
  const start = needles.cut.startLength(hashed);
  const end = needles.cut.endLength(hashed);
  if (start === 0 && end === 0) return text;
  if (start + end >= text.length) return HIDDEN;
  return (start > 0 ? HIDDEN : "") + text.slice(start, text.length - end) + (end > 0 ? HIDDEN : "");
}

/** As they are, and in other forms. */
function secretsOf(launch: Launch): readonly string[] {
  const found = new Set<string>();
  const add = (value: string): void => {
    for (const part of [value, ...value.split(/\s+/)])
      for (const form of part.length < SHORTEST ? [] : formsOf(part)) found.add(form);
  };
  const addNamed = (values: ReadonlyMap<string, string> | undefined): void => {
    for (const [name, value] of values ?? []) if (!OPEN_NAMES.test(name)) add(value);
  };
  if (launch.kind === "stdio") {
    addNamed(launch.env);
    // Some write the arguments behind the program.
    const lines = [launch.command.split(" "), launch.args, wordsBefore(launch)];
    for (const secret of lines.flatMap(secretsInArguments)) add(secret);
  }
  if (launch.kind === "http" || launch.kind === "sse") {
    addNamed(launch.headers);
    for (const secret of secretsInUrl(launch.url)) add(secret);
    if (launch.oauth) add(launch.oauth.clientSecret ?? "");
    const url = URL.canParse(launch.url) ? new URL(launch.url) : undefined;
    for (const value of url?.searchParams.values() ?? []) add(value);
    const [user, password] = [decodePercent(url?.username ?? ""), decodePercent(url?.password ?? "")];
    for (const value of [user, password]) add(value);
    // As it is sent in the `Authorization` header, which a server may repeat.
    if (user !== "" || password !== "") add(`${user}:${password}`);
  }
  if ("variables" in launch) {
    // Which host a server has is no secret; without it no failure to reach it can be understood.
    const origin = launch.kind !== "stdio" && URL.canParse(launch.url) ? new URL(launch.url).origin : "";
    addNamed(new Map([...(launch.variables ?? [])].filter(([, value]) => !origin.includes(value))));
  }
  for (const scheme of ["Bearer", "Basic", "token"]) found.delete(scheme);
  return [...found];
}

/** Of a program that starts the server, such as a container, with settings of its own. */
function wordsBefore({ isolation }: Extract<Launch, { readonly kind: "stdio" }>): readonly string[] {
  return isolation?.kind === "prefix" ? isolation.words : [];
}

/** A secret as it is, and as it stands in an address, in JSON, in base64 or in hex. */
function formsOf(secret: string): readonly string[] {
  const encoded = encodePercent(secret);
  const inLowerCase = encoded.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase());
  const inForm = new URLSearchParams([["", secret]]).toString().slice(1);
  const base64 = Buffer.from(secret).toString("base64");
  return [
    secret,
    Buffer.from(secret).toString("hex"),
    base64,
    base64.replace(/={1,2}$/, ""),
    Buffer.from(secret).toString("base64url"),
    encoded,
    inLowerCase,
    inForm,
    decodePercent(secret),
    JSON.stringify(secret).slice(1, -1),
  ].filter(({ length }) => length >= SHORTEST);
}

/** The text itself where it holds half a character, which has no encoded form. */
function encodePercent(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The text itself where a `%` in it encodes nothing. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
