// What Onym knows of a client: which files it keeps its servers in, and how a gateway is registered there.

export interface Client {
  /** The id of its profile. */
  readonly id: string;
  readonly title: string;
  /** Where its servers stand; empty where they cannot be read from a file. */
  readonly files: readonly ClientFile[];
  readonly waysToRegister: (gateway: GatewayAddress) => readonly Way[];
  /** What else a user should know, in one sentence. */
  readonly remark?: string;
}

interface ClientFile {
  /** A path with `{home}`, `{appData}`, `{config}`, `{codex}` or `{project}` at its start: see client-paths.ts. */
  readonly place: string;
  readonly format: ClientFormat;
}

/** `json`: also with comments. YAML is known to exist, and not read. */
export type ClientFormat = "json" | "toml" | "yaml";

/** How a client reaches Onym. */
export interface GatewayAddress {
  /** The name under which it is registered; what Onym is told with `--as` must be the same. */
  readonly alias: string;
  readonly command: string;
  readonly args: readonly string[];
  /** On this machine. */
  readonly url: string;
  /** For clients that run elsewhere. */
  readonly publicUrl: string;
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
