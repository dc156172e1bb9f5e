// A config as the rest of the program knows it: checked, variables filled in, whichever file it came from.

import type { NamingStyle, Rename, ToolSource } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import type { ConfigProblem } from "./config-problem.js";
import type { ConfigOrigin } from "./files/find-config.js";
import type { Place } from "./json/json-path.js";
import type { Limits } from "./limits.js";
import type { ServerEntry } from "./schema/config-schema.js";
import type { AuditConfig, PolicyConfig } from "./sections/policy-config.js";
import type { AuthConfig } from "./sections/read-auth.js";

export interface Config {
  /** The file as messages name it. */
  readonly file: string;
  /** Who chose it. */
  readonly origin: ConfigOrigin;
  /** The folder it is in; everything relative is relative to it. */
  readonly folder: string;
  readonly servers: readonly ConfigServer[];
  /** As they are written in entries, also in those of servers that are disabled. */
  readonly envFiles: readonly string[];
  /** In the order of the file; also those without a server. */
  readonly toolboxes: readonly ConfigToolbox[];
  /** What was passed over in the file, for people to know. */
  readonly notes: readonly string[];
  readonly naming: NamingConfig;
  /** The built-in profiles, with those of the file (RULE-7). */
  readonly profiles: ProfileSet;
  /** The file that they stand in, where it is another. */
  readonly profilesFile: string | undefined;
  readonly renames: readonly Rename[];
  /** Refuse tools whose raw names break the MCP specification. */
  readonly strict: boolean;
  readonly mode: "static" | "dynamic" | "proxy" | undefined;
  /** It is a file of mcp-workbench, whose users know the meta tools by the names there (BOX-9). */
  readonly isWorkbench: boolean;
  readonly policy: PolicyConfig;
  readonly audit: AuditConfig;
  readonly onUnknown: OnUnknown;
  readonly store: string | undefined;
  /** What of it, beside servers, has to be trusted where the file was only found (CFG-6). */
  readonly sections: readonly ConfigSection[];
  /** Who may connect over HTTP; `undefined`: everybody who can reach it. */
  readonly auth: AuthConfig | undefined;
  readonly limits: Limits;
  /** The page at `/` (CON-1). */
  readonly console: "on" | "read-only" | "off";
  /** Calls are counted, and shown at /metrics (OBS-1). */
  readonly metrics: boolean;
}

/** What happens to a call to an unknown name (RES-3). */
export type OnUnknown =
  | { readonly kind: "reject" }
  | { readonly kind: "passthrough"; readonly server: string; readonly toolbox: string | undefined };

interface ConfigToolbox {
  readonly id: string;
  readonly description: string | undefined;
}

interface NamingConfig {
  readonly style: NamingStyle | undefined;
  readonly as: string | undefined;
  /** The profile to name for; `undefined` where it is to be detected. */
  readonly profile: string | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  readonly pins: Readonly<Record<string, string>>;
  /** Mentions of tools in texts of downstreams follow the names. */
  readonly references: boolean;
  /** Clients are recognised by what they say of themselves (GW-3). */
  readonly detect: boolean;
}

export interface ConfigServer {
  /** Its identity and its tools, after the filters; no tools where they are only known once it runs. */
  readonly source: ToolSource;
  /** Tools that its filters leave out, as far as they are known; to explain, never to call. */
  readonly hidden: ToolSource["tools"];
  /** The tools stand in the config, so nothing has to be started to know them (CFG-3). */
  readonly isStatic: boolean;
  readonly entry: ServerEntry;
  /** The entry before variables are filled in: what a user is shown, and trusts. */
  readonly written: object;
  /** Variables of its entry that are not set: it cannot be used, and nothing else suffers for it (CFG-2). */
  readonly unfilled: readonly ConfigProblem[];
  /** Variables of the environment that its entry was filled in with, by name. Their values may be secrets. */
  readonly variables: ReadonlyMap<string, string>;
  /**
   * The file was only found, and nobody trusted the entry yet: `entry` is as it is written but for the place of its env file,
   * and what variables of the environment would make of its names and tools is not known (CFG-6).
   */
  readonly isWithheld?: boolean;
  /** A program is started or an address connected to. */
  readonly runs: boolean;
  /** Of its launch as it is written, and the folder of the config: what a user trusts (CFG-6). */
  readonly launchDigest: string;
  /** `mcpServers.salesforce` */
  readonly path: string;
  readonly place: Place;
  /** Where each tool stands, by raw name. */
  readonly toolPlaces: ReadonlyMap<string, Place>;
}

/** A section beside the servers that reaches out of the folder of its config, or lets callers in. */
export interface ConfigSection {
  readonly name: "auth" | "store" | "audit" | "lock" | "variables";
  /** As it is written, with the folder of the config. */
  readonly digest: string;
  /** In words, without secrets. */
  readonly shown: string;
}
