// What Onym knows of a client: which files it keeps its servers in, in which form, and how a gateway is registered there. One
// table of these drives discovery, `init --client`, `connect` and docs/clients.md.

export interface Client {
  readonly id: string;
  readonly title: string;
  /** Whose names it gets, where that is not the profile of its id. */
  readonly profile?: string;
  /** Where its servers stand, those of the user before those of a project; empty where they cannot be read from a file. */
  readonly files: readonly ClientFile[];
  /** One server as it stands there; absent for a transport that it does not have. */
  readonly entry?: { readonly stdio?: EntryOf; readonly http?: EntryOf };
  /** Other ways than a file: commands, and what is entered by hand. */
  readonly otherWays?: (gateway: GatewayAddress) => readonly Way[];
  /** It is no longer offered; since when, and what took its place. */
  readonly retired?: string;
  /** What else a user should know, in one sentence. */
  readonly remark?: string;
  /** Where this was read, or where it should be written down. */
  readonly source: string;
  /** The day it was read there, YYYY-MM-DD; absent where nobody has held the row against it. */
  readonly checked?: string;
}

export interface ClientFile {
  /** A path with `{home}`, `{appData}`, `{config}`, `{xdg}`, `{codex}`, `{copilot}`, `{kimi}` or `{project}` at its start: see client-paths.ts. */
  readonly place: string;
  /** The same on Windows, where it is another. */
  readonly windows?: string;
  readonly format: ClientFormat;
  /** Where in it the servers are. */
  readonly servers: readonly string[];
  /** A list of entries with a `name` each, instead of entries by id. */
  readonly isList?: true;
  /** It is read, and nothing is written to it any more. */
  readonly isOld?: true;
}

/** `json`: also with comments. */
export type ClientFormat = "json" | "toml" | "yaml";

export type EntryOf = (gateway: GatewayAddress) => Readonly<Record<string, unknown>>;

/** How a client reaches Onym. */
export interface GatewayAddress {
  /** The name under which it is registered; what Onym is told with `--as` must be the same. */
  readonly alias: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On this machine, or where the user says. */
  readonly url: string;
  /** For clients that run elsewhere. */
  readonly publicUrl: string;
  /** What to send with each request: a token. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One way to register it: what to run, or what to write where. */
export interface Way {
  readonly transport: "stdio" | "http";
  readonly kind: "run" | "write" | "enter";
  /** `write`: the place of the file; `enter`: where in the client. */
  readonly where?: string;
  readonly language: "sh" | "json" | "toml" | "yaml" | "text";
  readonly text: string;
}
