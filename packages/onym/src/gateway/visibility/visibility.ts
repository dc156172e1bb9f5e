// What one caller may see of a snapshot, as the guard decides it.

import type { Resolution, ResolveContext, StructuredName, Tool } from "@onym/core";
import type { DownstreamId } from "../../downstream/downstream.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";

export interface Visibility {
  readonly key: string;
  readonly sees: (tool: Tool) => boolean;
  /** What a name means to the caller, as if hidden tools had never been there. */
  readonly resolve: (input: string | StructuredName, context?: ResolveContext) => VisibleResolution;
  /**
   * Builds in slices what `resolve` needs to suggest names in a large catalog (SAFE-4). `undefined` if it is ready
   * or quick to build.
   */
  readonly prepareSuggestions: (callerKey?: string) => Promise<void> | undefined;
}

export interface VisibleResolution {
  readonly resolution: Resolution;
  /** The hidden tool that the name means, if the caller is told that it is unknown: only for the audit record (POL-7). */
  readonly denied?: Tool | undefined;
}

export interface CallerAccess {
  /** Equal keys mean equal answers for the same snapshot. */
  readonly key: string;
  /** Whether anything of the server is visible. */
  readonly reaches: (id: DownstreamId) => boolean;
  readonly seesPrompt: (prompt: Tool) => boolean;
  /** By its URI, or a template's text, as the server knows it. */
  readonly seesResource: (id: DownstreamId, uri: string) => boolean;
}

/** `undefined` if nothing is hidden. */
export type VisibilityOf = (snapshot: GatewaySnapshot, caller: Caller) => Visibility | undefined;
export type AccessOf = (snapshot: GatewaySnapshot, caller: CallerIdentity) => CallerAccess | undefined;

export type CallerIdentity = Pick<Caller, "principal" | "confinedTo">;
