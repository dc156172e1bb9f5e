// One tool as it exists: where it comes from, its raw name, its canonical name, its definition.

import type { ToolKey } from "../identity/tool-key.js";
import type { CanonicalName } from "../names/canonical-name.js";

/** What a downstream says about a tool beside its name; passed on untouched. */
export interface ToolDefinition {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: unknown;
  readonly icons?: unknown;
  readonly _meta?: unknown;
  /** Members that are listed beside these and the name, under their names there. */
  readonly others?: unknown;
}

export interface Tool {
  /** The one identity: toolbox, server id, raw name. Equal keys, same tool. */
  readonly key: ToolKey;
  /** The operator's key for the downstream; never `serverInfo.name`. */
  readonly server: string;
  readonly toolbox: string | undefined;
  /** Exactly as the downstream advertised it. */
  readonly raw: string;
  readonly canonical: CanonicalName;
  readonly integration: string;
  readonly integrationVersion: number;
  /** The tool part of the canonical name; the raw name unless the downstream speaks canonical names. */
  readonly toolName: string;
  readonly toolVersion: number;
  /** Short form of the integration for flat names: `sf`. The integration itself where none is set. */
  readonly label: string;
  readonly definition: ToolDefinition;
}
