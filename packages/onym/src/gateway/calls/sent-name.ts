// A name as a client sent it, and as it was resolved.

import type { Resolution, ResolveContext, Resolved, StructuredName, Tool } from "@onym/core";
import { isReadable, MAX_VALUES } from "../../mcp/fast-path/parse-large.js";
import { isJsonObject } from "../../mcp/json.js";
import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import type { Launch } from "../../model/launch.js";
import type { Caller } from "../caller.js";
import type { GatewaySnapshot } from "../catalog/gateway-snapshot.js";
import type { View } from "../gateway-context.js";

/** A name as a client sent it. */
export interface SentName {
  readonly name: string | StructuredName;
  /** The origin of a raw name, as the sender states it; resolving it may need the snapshot. */
  readonly contextIn: (snapshot: GatewaySnapshot) => ResolveContext | undefined;
  readonly caller: Caller;
}

export type FoundTool =
  | {
      readonly kind: "found";
      readonly tool: Tool;
      readonly resolved: Resolved;
      /** The view that resolved the name. The call uses it too. */
      readonly view: View;
    }
  | RefusedName;

export interface RefusedName {
  readonly kind: "refused";
  readonly refusal: Reply;
  readonly resolution: Resolution;
  /**
   * The tool that the name means although it is hidden from the caller: only for the audit record (POL-7).
   */
  readonly denied?: DeniedTool | undefined;
  /** The view of the lookup. */
  readonly view: View;
}

/** A tool that policy denies to a caller, with its server's launch. */
export interface DeniedTool {
  readonly tool: Tool;
  readonly launch: Launch | undefined;
}

/** A tool, with the view that resolved it and that the call uses. */
export type ToolInView = Pick<Extract<FoundTool, { readonly kind: "found" }>, "tool" | "view">;

/** Where the gateway itself reads arguments, they hold no more than it can read in one turn (SAFE-4). */
export function refuseUnreadable(args: unknown): Reply | undefined {
  if (!isJsonObject(args) || isReadable(args)) return undefined;
  return errorReply(
    CODES.invalidParams,
    `"arguments" must hold at most ${MAX_VALUES} values: they are read here, not only passed on.`,
  );
}
