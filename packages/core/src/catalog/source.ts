// Where tools come from: the input of `buildCatalog`.

import type { ToolDefinition } from "./tool.js";

/** In `speaksFor`: every integration. */
export const ANY_INTEGRATION = "*";

/** A tool as a server lists it, or as a config file declares it. */
export interface ListedTool extends ToolDefinition {
  readonly name: string;
  /** Version of the tool inside its integration. Default: 1. */
  readonly version?: number;
}

/** One server and its tools. */
export interface ToolSource {
  /** The operator's key for the server: its identity. May be any text outside toolboxes. */
  readonly server: string;
  readonly toolbox?: string;
  /** Lower-case kebab. Default: derived from `server` (CANON-1). */
  readonly integration?: string;
  /** Version of the integration. Default: 1. */
  readonly version?: number;
  /** The version that the server announces, any text. Rename windows may be counted in it. */
  readonly serverVersion?: string | undefined;
  /** Short form of the integration for flat names: `sf`. */
  readonly alias?: string;
  /** Former ids of this server, oldest first. Their tools are this server's tools (LOCK-5). */
  readonly formerly?: readonly string[];
  /** `canonical`: the raw names already are canonical names, and are adopted (CANON-6). */
  readonly names?: "raw" | "canonical";
  /** The integrations that a server with canonical names may declare; `*` for all. */
  readonly speaksFor?: readonly string[];
  readonly tools: readonly (string | ListedTool)[];
}

/** A server in the catalog. */
export interface CatalogServer {
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly integration: string;
  readonly version: number;
  /** As the server announced it. */
  readonly serverVersion: string | undefined;
  /** The first part of flat names. */
  readonly label: string;
}
