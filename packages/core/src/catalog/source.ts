// Where tools come from: what a caller hands to `buildCatalog`.

import type { ToolDefinition } from "./tool.js";

/** In `speaksFor`: every integration. */
export const ANY_INTEGRATION = "*";

/** A tool as a downstream lists it, or as a config file declares it. */
export interface ListedTool extends ToolDefinition {
  readonly name: string;
  /** Version of the tool inside its integration; 1 where it is not said. */
  readonly version?: number;
}

/** One downstream and its tools. */
export interface ToolSource {
  /** The operator's key for the downstream: its identity. Any text outside toolboxes. */
  readonly server: string;
  readonly toolbox?: string;
  /** Lower-case kebab; derived from `server` where it is not said (CANON-1). */
  readonly integration?: string;
  /** Version of the integration; 1 where it is not said. */
  readonly version?: number;
  /** What the downstream announces as its own version, any text; windows of renames may be counted in it. */
  readonly serverVersion?: string | undefined;
  /** Short form of the integration for flat names: `sf`. */
  readonly alias?: string;
  /** Ids that this downstream had before, the oldest first: its tools are those of the old id (LOCK-5). */
  readonly formerly?: readonly string[];
  /** `canonical`: the raw names already are canonical names, and are adopted (CANON-6). */
  readonly names?: "raw" | "canonical";
  /** The integrations a downstream with canonical names may speak for; `*` for all of them. */
  readonly speaksFor?: readonly string[];
  readonly tools: readonly (string | ListedTool)[];
}

/** A downstream as the catalog knows it. */
export interface CatalogServer {
  readonly server: string;
  readonly toolbox: string | undefined;
  readonly integration: string;
  readonly version: number;
  /** As the downstream announced it. */
  readonly serverVersion: string | undefined;
  /** What flat names start with. */
  readonly label: string;
}
