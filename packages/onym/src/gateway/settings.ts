// The gateway's input at start and at each reload: servers, names, limits.

import type { NamingStyle, Rename, ToolSource } from "@onym/core";
import type { ProfileSet } from "@onym/core/profiles";
import type { DownstreamId, DownstreamLimits } from "../downstream/downstream.js";
import type { Launch } from "../model/launch.js";

export type ToolboxMode = "static" | "dynamic" | "proxy";

export interface GatewaySettings {
  readonly servers: readonly ServerSettings[];
  readonly toolboxes: readonly ToolboxSettings[];
  readonly mode: ToolboxMode;
  /** Lists the meta tools under mcp-workbench's names, with its replies (BOX-9). */
  readonly isWorkbench: boolean;
  readonly naming: NamingSettings;
  readonly profiles: ProfileSet;
  readonly renames: readonly Rename[];
  /** Refuse tools whose raw names break the MCP specification. */
  readonly strict: boolean;
  /** The server that gets calls to unknown names (RES-3); `undefined`: they are refused. */
  readonly passthrough: DownstreamId | undefined;
  readonly limits: GatewayLimits;
}

export interface ServerSettings {
  /** Its identity, and for a static catalog its tools. */
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
  /** The profile for callers that request no other; `undefined`: detect it. */
  readonly profile: string | undefined;
  /** Recognize clients by what they say of themselves (GW-3). */
  readonly detect: boolean;
  /** Rewrite mentions of tools in descriptions to their public names. */
  readonly references: boolean;
  readonly aliases: Readonly<Record<string, string>>;
  readonly pins: Readonly<Record<string, string>>;
}

interface GatewayLimits extends DownstreamLimits {
  /** How long a list waits for servers that are starting. */
  readonly listMs: number;
  /** How long a call may take. */
  readonly callMs: number;
  /** How long calls in flight may continue when a server or the gateway closes. */
  readonly drainMs: number;
  /** Maximum unanswered requests to the clients of one caller. */
  readonly callerQuestions: number;
  /** Maximum new aliases per caller. */
  readonly callerAliases: number;
}
