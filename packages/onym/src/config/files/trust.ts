// Which launches of configs that were found in a folder the user has trusted, and which stores and rules for callers
// (CFG-6). Kept in the user's own state folder, by a digest of each as it is written: one that changed must be trusted
// again.

import { createHash, randomUUID } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readlinkSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { escapeText, quoteText } from "@onym/core";
import { canonicalJson } from "@onym/core/identity";
import { OnymError } from "../../model/onym-error.js";
import { showPath } from "../../model/show-path.js";
import type { Config, ConfigSection, ConfigServer } from "../config.js";
import type { Environment } from "../json/expand-variables.js";
import type { FilledText } from "../json/read-value.js";
import { envFileOf } from "../launches/launch-of.js";
import { isComment } from "../schema/check-keys.js";
import { parseEnvFile } from "./parse-env-file.js";
import { MAX_CONFIG_BYTES, readTextFile, type TextFile } from "./read-text-file.js";
import { userStateFolder } from "./user-folders.js";

/** What an entry says of names and of what is shown, and not of what is started or connected to. */
export const NO_LAUNCH: ReadonlySet<string> = new Set([
  "alias",
  "description",
  "disabled",
  "formerly",
  "integration",
  "names",
  "speaksFor",
  "toolFilters",
  "tools",
  "version",
]);

/** @param entry As it is written, before variables are filled in: a new token is no new launch. */
export function digestLaunch(folder: string, entry: object): string {
  const parts = Object.entries(entry).filter(([key, value]) => isTrusted(key, value));
  return createHash("sha256")
    .update(canonicalJson([folder, Object.fromEntries(parts)]))
    .digest("hex");
}

/** Whether a key of an entry is part of what is trusted: it says what is started, or shows variables of the environment. */
export function isTrusted(key: string, value: unknown): boolean {
  return !isComment(key) && (!NO_LAUNCH.has(key) || /(?<!\$)\$\{/.test(JSON.stringify(value)));
}

/**
 * @param written The whole file, before variables are filled in.
 * @param filled Texts outside of servers that variables of the environment are filled in to.
 */
export function sectionsToTrust(
  folder: string,
  { auth, store, audit }: { readonly auth?: unknown; readonly store?: unknown; readonly audit?: unknown },
  filled: readonly FilledText[] = [],
): readonly ConfigSection[] {
  const digestOf = (section: object): string =>
    createHash("sha256")
      .update(canonicalJson([folder, section]))
      .digest("hex");
  const anchor: unknown = Reflect.get(Object(audit), "anchor");
  const linked = typeof store === "string" && leavesFolder(store, folder) ? [] : linksOf(store, folder);
  const locks = ["onym.lock", "onym.prompts.lock"].flatMap((name) => linkAt(name, folder));
  return [
    ...(linked.length > 0
      ? [
          {
            name: "store",
            digest: digestOf({ store: store ?? null, linked }),
            shown: `keeps records in ${describeLinks(linked)}`,
          } as const,
        ]
      : []),
    ...(locks.length > 0
      ? [
          {
            name: "lock",
            digest: digestOf({ locks }),
            shown: `takes names from ${describeLinks(locks)}`,
          } as const,
        ]
      : []),
    ...(typeof store === "string" && leavesFolder(store, folder)
      ? [
          {
            name: "store",
            digest: digestOf({ store }),
            shown: `keeps records in ${withoutLogin(store)}`,
          } as const,
        ]
      : []),
    ...(typeof anchor === "string" && leavesFolder(anchor, folder)
      ? [
          {
            name: "audit",
            digest: digestOf({ anchor }),
            shown: `writes the ends of its audit to ${anchor}`,
          } as const,
        ]
      : []),
    ...(typeof auth === "object" && auth !== null
      ? [{ name: "auth", digest: digestOf({ auth }), shown: describeAuth(auth) } as const]
      : []),
    ...describeFilled(filled).map(
      (shown) =>
        ({
          name: "variables",
          digest: digestOf({ variables: filled.map(({ path, written }) => [path, written]) }),
          shown,
        }) as const,
    ),
  ];
}

/** Names are shown and kept: whoever wrote the file chose which variables they would tell. */
function describeFilled(filled: readonly FilledText[]): readonly string[] {
  const texts = filled.map(({ path, written }) => `${quoteText(written)} in ${path}`);
  return texts.length === 0 ? [] : [`fills in variables of your environment: ${texts.join(", ")}`];
}

/** A database, a file elsewhere, a link, or whatever a variable makes of it. */
function leavesFolder(place: string, folder: string): boolean {
  if (place === "none" || place === ":memory:") return false;
  if (place.includes("${") || /^[a-z][a-z0-9+.-]+:/i.test(place)) return true;
  return isOutside(resolve(folder, place), folder);
}

/** Whether a file is not below the folder, or is reached by a link that somebody put there. */
export function isOutside(file: string, folder: string): boolean {
  const path = relative(folder, file);
  return path.startsWith("..") || isAbsolute(path) || isLinked(path, folder);
}

/** Reads what a config names before anybody trusted it: files of its folder, and nothing that a link leads to (CFG-6). */
export function readTextWithin(folder: string, file: string): TextFile {
  if (!isOutside(file, folder)) return readTextFile(file, MAX_CONFIG_BYTES);
  const reason =
    "the config was only found in this folder, and the file is outside of it or reached by a link; name the config with --config";
  return { reason, isMissing: false };
}

/** A link that somebody put in the folder, and what is written in it. */
type Link = readonly [name: string, target: string];

/** What SQLite and Onym open beside a store. */
const STORE_FILES = ["", "-wal", "-shm", "-journal", "-revision", ".key"];

/** The links among the files of a store in the folder, which is `onym.db` where nothing is written. */
function linksOf(store: unknown, folder: string): readonly Link[] {
  if (store === "none" || store === ":memory:") return [];
  const name = typeof store === "string" ? store : "onym.db";
  return STORE_FILES.flatMap((end) => linkAt(`${name}${end}`, folder));
}

function linkAt(name: string, folder: string): readonly Link[] {
  try {
    return [[name, readlinkSync(resolve(folder, name))]];
  } catch {
    return []; // nothing is there, or no link
  }
}

function describeLinks(links: readonly Link[]): string {
  return links.map(([name, target]) => `${name}, which is a link to ${target}`).join(", and ");
}

/** Whether the file, or a folder on the way to it, is a link that somebody put there. */
function isLinked(path: string, folder: string): boolean {
  const parts = path.split(sep);
  return parts.some((_, index) => isLink(join(folder, ...parts.slice(0, index + 1))));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false; // nothing is there
  }
}

function withoutLogin(store: string): string {
  return store.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/@]*@/i, "$1");
}

function describeAuth({ tokens, oauth }: { readonly tokens?: unknown; readonly oauth?: unknown }): string {
  const textsOf = (items: unknown, member: string): readonly string[] =>
    [items].flat().flatMap((item: unknown) => {
      const text: unknown = Reflect.get(Object(item), member);
      return typeof text === "string" ? [text] : [];
    });
  const callers = [
    ...textsOf(tokens, "name").map((name) => `the holder of the token ${quoteText(name)}`),
    ...textsOf(oauth, "issuer").map((issuer) => `whom ${quoteText(issuer)} signs in`),
  ];
  return `lets in ${callers.length === 0 ? "nobody" : callers.join(", ")}`;
}

/** Those of a config that are not in force yet. None where the user named the file. */
export function findUntrustedSections(config: Config, env: Environment): readonly ConfigSection[] {
  if (config.origin !== "found" || config.sections.length === 0) return [];
  const trusted = loadTrust(trustFileOf(env));
  return config.sections.filter(({ digest }) => !trusted.has(digest));
}

/** @throws OnymError `config-untrusted`: without its store or its rules for callers a config would be another one. */
export function checkSections(config: Config, env: Environment): Config {
  const untrusted = findUntrustedSections(config, env);
  if (untrusted.length === 0) return config;
  const names = untrusted.map(({ name }) => `"${name}"`).join(" and ");
  const shown = untrusted.map(({ shown }) => escapeText(shown)).join(", and ");
  throw new OnymError(
    "config-untrusted",
    `${escapeText(config.file)} was found in this folder, and nobody has trusted its ${names} yet: it ${shown}.`,
    "Look at it and trust it: onym trust. Or name the config with --config.",
  );
}

/** The digests of all that was trusted so far. */
export function loadTrusted(env: Environment): ReadonlySet<string> {
  return loadTrust(trustFileOf(env));
}

export function trustFileOf(env: Environment): string {
  return join(userStateFolder({ platform: process.platform, env }), "trust.json");
}

/** What is trusted of a server, or is to be. */
export interface Launched {
  readonly entry: { readonly envFile?: string | undefined };
  readonly launchDigest: string;
}

/** How the files that launches name are found and read. */
export interface LaunchPlace {
  /** Of the config. */
  readonly folder: string;
  readonly env: Environment;
  readonly read: (file: string) => TextFile;
}

/** The servers of a config that may not be started or connected to yet, and why. None where the user named the file. */
export function findUntrusted(
  config: Config,
  env: Environment,
  read: LaunchPlace["read"],
): ReadonlyMap<ConfigServer, UntrustedPart> {
  if (config.origin !== "found") return new Map();
  return withoutTrusted(
    config.servers.filter(({ runs }) => runs),
    { folder: config.folder, env, read },
  );
}

/** The launch as it is written, or only what is in its env file now. */
type UntrustedPart = "launch" | "envFile";

/**
 * The launches that nobody has trusted yet, wherever they come from. The env file of one that is not trusted as it is written
 * is not read: a stranger chose it.
 */
export function withoutTrusted<Each extends Launched>(
  launched: readonly Each[],
  place: LaunchPlace,
): ReadonlyMap<Each, UntrustedPart> {
  if (launched.length === 0) return new Map();
  const trusted = loadTrust(trustFileOf(place.env));
  const untrusted = new Map<Each, UntrustedPart>();
  for (const each of launched) {
    if (!trusted.has(each.launchDigest)) untrusted.set(each, "launch");
    else if (!digestEnvFile(each, place).every((digest) => trusted.has(digest)))
      untrusted.set(each, "envFile");
  }
  return untrusted;
}

/** All that is recorded when the launches are trusted. */
export function digestsToTrust(launched: readonly Launched[], place: LaunchPlace): readonly string[] {
  return launched.flatMap((each) => [each.launchDigest, ...digestEnvFile(each, place)]);
}

/** Of the values in the env file of a launch; none without one. A value can make a program load another. */
function digestEnvFile(
  { launchDigest, entry: { envFile } }: Launched,
  { folder, env, read }: LaunchPlace,
): readonly string[] {
  if (envFile === undefined) return [];
  const found = read(envFileOf(envFile, { folder, env }));
  const parsed = "text" in found ? parseEnvFile(found.text) : undefined;
  const values = parsed !== undefined && "variables" in parsed ? [...parsed.variables] : null;
  return [
    createHash("sha256")
      .update(canonicalJson(["envFile", launchDigest, values]))
      .digest("hex"),
  ];
}

/** @throws OnymError `trust-unwritable`. Only the user may read the file. */
export function recordTrust(
  digests: readonly string[],
  { env, change }: { readonly env: Environment; readonly change: "trust" | "forget" },
): void {
  const file = trustFileOf(env);
  const trusted = new Set(loadTrust(file));
  for (const digest of digests) {
    if (change === "trust") trusted.add(digest);
    else trusted.delete(digest);
  }
  const draft = `${file}.${randomUUID().slice(0, 8)}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(draft, `${JSON.stringify({ launches: [...trusted].sort() }, null, 2)}\n`, {
      mode: 0o600,
      flag: "wx",
    });
    chmodSync(draft, 0o600);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new OnymError(
      "trust-unwritable",
      `${showPath(file)} cannot be written (${code}), so nothing is trusted.`,
      "Check that its folder may be written to, or name the config with --config.",
      { cause: error },
    );
  }
}

/** What cannot be read trusts nothing. */
function loadTrust(file: string): ReadonlySet<string> {
  const read = readTextFile(file);
  if ("reason" in read) return new Set();
  try {
    const { launches }: { readonly launches?: unknown } = Object(JSON.parse(read.text));
    return new Set(Array.isArray(launches) ? launches.filter((each) => typeof each === "string") : []);
  } catch {
    return new Set();
  }
}
