// What a gateway is told at its start and at each reload: which downstreams, which names, which bounds.

import type { NamingStyle, Rename, ToolSource } from "@onym/core";
import type { DownstreamId, DownstreamLimits } from "../downstream/downstream.js";
import type { Launch } from "../model/launch.js";

export type ToolboxMode = "static" | "dynamic" | "proxy";

export interface GatewaySettings {
  readonly servers: readonly ServerSettings[];
  readonly toolboxes: readonly ToolboxSettings[];
  readonly mode: ToolboxMode;
  /** The meta tools are listed under the names that mcp-workbench gives them, and answer as there (BOX-9). */
  readonly isWorkbench: boolean;
  readonly naming: NamingSettings;
  readonly renames: readonly Rename[];
  /** Refuse tools whose raw names break the MCP specification. */
  readonly strict: boolean;
  /** The downstream that gets calls to names nobody knows (RES-3); `undefined`: they are refused. */
  readonly passthrough: DownstreamId | undefined;
  readonly limits: GatewayLimits;
}

export interface ServerSettings {
  /** Identity; the tools of a static catalog, none for the others. */
  readonly source: ToolSource;
  readonly launch: Launch;
  /** Whether a tool is shown, by raw name (GW-13). */
  readonly admits: (raw: string) => boolean;
}

interface ToolboxSettings {
  readonly id: string;
  readonly description: string | undefined;
}

interface NamingSettings {
  readonly style: NamingStyle | undefined;
  readonly as: string | undefined;
  /** The profile for everybody who does not ask for another; `undefined`: detected. */
  readonly profile: string | undefined;
  /** Recognise clients by what they say of themselves (GW-3). */
  readonly detect: boolean;
  /** Mentions of tools in descriptions follow their names. */
  readonly references: boolean;
  readonly aliases: Readonly<Record<string, string>>;
  readonly pins: Readonly<Record<string, string>>;
}

interface GatewayLimits extends DownstreamLimits {
  /** How long a list waits for downstreams that are starting. */
  readonly listMs: number;
  /** How long a call may take. */
  readonly callMs: number;
  /** How long calls under way may go on when a downstream or the gateway is closed. */
  readonly drainMs: number;
  /** Questions to the clients of one caller that are not answered yet. */
  readonly callerQuestions: number;
  /** New aliases that one caller may bring. */
  readonly callerAliases: number;
}
