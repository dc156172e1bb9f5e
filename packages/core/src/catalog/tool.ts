// One tool: where it comes from, its raw name, its canonical name, its definition.

import type { ToolKey } from "../identity/tool-key.js";
import type { CanonicalName } from "../names/canonical-name.js";

/** What a server says about a tool besides its name. Passed through unchanged. */
export interface ToolDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly icons?: unknown;
  readonly _meta?: unknown;
  /** Other members of the listed tool, under their original names. */
  readonly others?: unknown;
}

export interface Tool {
  /** The tool's identity: toolbox, server id, raw name. Equal keys mean the same tool. */
  readonly key: ToolKey;
  /** The operator's key for the server; never `serverInfo.name`. */
  readonly server: string;
  readonly toolbox: string | undefined;
  /** Exactly as the server listed it. */
  readonly raw: string;
  readonly canonical: CanonicalName;
  readonly integration: string;
  readonly integrationVersion: number;
  /** The tool part of the canonical name; the raw name unless the server uses canonical names. */
  readonly toolName: string;
  readonly toolVersion: number;
  /** Short form of the integration for flat names: `sf`. Default: the integration. */
  readonly label: string;
  readonly definition: ToolDefinition;
}
