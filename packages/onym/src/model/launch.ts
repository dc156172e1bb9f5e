// How a server is started or reached. An approval is bound to its fingerprint besides the server id (POL-2).

import { createHash } from "node:crypto";
import { join } from "node:path";
import { findAround, findReplaceable, tracePath } from "./trace-path.js";

export type Launch =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** In addition to the safe part of Onym's own environment. */
      readonly env: ReadonlyMap<string, string>;
      /** The base of relative paths, and the working directory unless `ownFolder` is set. */
      readonly cwd: string;
      /**
       * The working directory, created at start. Not part of the fingerprint, because it does not change what is
       * reached.
       */
      readonly ownFolder?: string;
      readonly isolation?: Isolation;
      readonly variables?: LaunchVariables;
    }
  | {
      readonly kind: "http" | "sse";
      readonly url: string;
      readonly headers: ReadonlyMap<string, string>;
      /** How to sign in, if the config says so; `false`: never. */
      readonly oauth?: OAuthLaunch | false;
      readonly variables?: LaunchVariables;
    }
  /** Tools from the config; there is nothing to call. */
  | { readonly kind: "static" }
  /** The config is incomplete, or the launch is not trusted. Nothing is started until that changes. */
  | {
      readonly kind: "unusable";
      /** Why, for programs. */
      readonly code: "missing-variable" | "editor-variable" | "untrusted" | "not-isolated";
      /** The variable that is not set, if that is the reason. */
      readonly variable: string | undefined;
      /** Both are for people to read: one line, no secrets. */
      readonly reason: string;
      readonly hint: string;
    };

/**
 * The variables of the environment that the launch was filled in with, by name: what they hold is hidden in texts for
 * people. Not part of the fingerprint, because their values are where they were filled in.
 */
type LaunchVariables = ReadonlyMap<string, string>;

/** What isolates a started server from Onym's own files (SAFE-7). */
export type Isolation =
  | { readonly kind: "prefix"; readonly words: readonly string[] }
  | {
      readonly kind: "bubblewrap";
      /** Its HOME, and the only folder that it may write to besides a configured `cwd`. */
      readonly home: string;
      readonly writesCwd: boolean;
      /** Onym's files, and env files of other servers: it must not see them, nor put others in their place. */
      readonly hidden: readonly string[];
      /** What it may see, but not replace: its own env file, which Onym reads. */
      readonly fixed: readonly string[];
      /** Folders of Onym's own, made where they are missing: it sees them empty, and starts in none of them. */
      readonly folders: readonly string[];
      /** The folder of the sockets of the user's session, which it sees empty. */
      readonly sockets?: string;
    };

/** Why an isolated server cannot be started where the config says. */
export interface Misplaced {
  /** Of Onym's own: the file that it could replace, or the folder that it would start in. */
  readonly path: string;
  readonly could: "replace" | "see";
}

/**
 * What is open to an isolated server where it starts: what it could put another in the place of, because it may write to
 * a folder on the way to it, and a folder that it must not see.
 */
export function findMisplaced(launch: Launch): Misplaced | undefined {
  if (launch.kind !== "stdio" || launch.isolation?.kind !== "bubblewrap") return undefined;
  const { writesCwd, hidden, fixed, folders, sockets } = launch.isolation;
  if (!writesCwd && launch.ownFolder !== undefined) return undefined;
  const around = findAround(folders, launch.cwd);
  if (around !== undefined) return { path: around, could: writesCwd ? "replace" : "see" };
  // A file in each folder stands for the folder: who may write to it replaces what is there.
  const inFolders = [...folders, ...(sockets === undefined ? [] : [sockets])];
  const path = writesCwd
    ? (findReplaceable([...hidden, ...fixed], launch.cwd) ??
      inFolders.find((folder) => findReplaceable([join(folder, "*")], launch.cwd) !== undefined))
    : undefined;
  return path === undefined ? undefined : { path, could: "replace" };
}

/**
 * The folder that another isolated server may write to and that leads to where this one starts and may write: the other could put
 * a link there, and this one would write wherever it leads. Servers that start in one and the same folder cannot.
 */
export function findNested(launch: Launch, others: Iterable<Launch>): string | undefined {
  if (launch.kind !== "stdio" || launch.isolation?.kind !== "bubblewrap") return undefined;
  if (!launch.isolation.writesCwd) return undefined;
  const { folders, target } = tracePath(launch.cwd);
  for (const other of others) {
    if (other === launch || other.kind !== "stdio" || other.isolation === undefined) continue;
    const { isolation, ownFolder, cwd } = other;
    const isWritten = isolation.kind === "bubblewrap" ? isolation.writesCwd : ownFolder === undefined;
    const around = tracePath(cwd).target;
    if (isWritten && around !== target && folders.has(around)) return cwd;
  }
  return undefined;
}

/** Equal where two launches with one fingerprint are also started alike: between the same walls. */
export function formatWalls(launch: Launch): string {
  return launch.kind === "stdio" ? JSON.stringify(launch.isolation ?? null) : "";
}

/** How a server's `oauth` is set in the config. */
export interface OAuthLaunch {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** The only authorization server that may be used; `undefined`: the one that the server names. */
  readonly issuer: string | undefined;
  readonly scopes: readonly string[] | undefined;
  /** The port of the redirect address, where the client is registered with one. */
  readonly callbackPort: number | undefined;
  readonly grant: "authorization_code" | "client_credentials";
}

/**
 * Equal for two launches that reach the same thing: the same command or URL with the same settings. Secrets only
 * enter through the hash.
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

/** Cached, because every call needs one and a launch is immutable. */
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

/** Empty without isolation, so that earlier approvals stay valid. */
function isolationParts(isolation: Isolation | undefined): readonly unknown[] {
  if (isolation === undefined) return [];
  return [isolation.kind === "prefix" ? ["prefix", ...isolation.words] : ["bubblewrap"]];
}

/** The identity that Onym uses at the server. The other OAuth settings only say how to sign in. */
function oauthParts(oauth: OAuthLaunch | false | undefined): readonly unknown[] {
  if (oauth === undefined || oauth === false) return [];
  return [[oauth.grant, oauth.clientId ?? null, oauth.clientSecret ?? null, oauth.scopes ?? null]];
}

function sorted(map: ReadonlyMap<string, string>): readonly (readonly [string, string])[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}
