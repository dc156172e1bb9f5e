// A call of a tool, as it came and as it was found.

import type { Resolution, Resolved, Tool } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { ValueText } from "../../mcp/message.js";
import type { Reply } from "../../mcp/reply.js";
import type { Caller } from "../caller.js";
import type { View } from "../gateway-context.js";
import type { RequestContext } from "../router.js";
import type { DeniedTool } from "./guard.js";

export interface ToolCall {
  readonly params: JsonObject;
  /** The `arguments` among them as they came. */
  readonly argumentsText?: ValueText | undefined;
  readonly caller: Caller;
  readonly requestContext: RequestContext;
}

export type FoundTool =
  | {
      readonly kind: "found";
      readonly tool: Tool;
      readonly resolved: Resolved;
      /** In which it was found, and in which it is called. */
      readonly view: View;
    }
  | RefusedName;

export interface RefusedName {
  readonly kind: "refused";
  readonly refusal: Reply;
  readonly resolution: Resolution;
  /** The tool that the name means, though the caller must not hear of it: for the record alone (POL-7). */
  readonly denied?: DeniedTool | undefined;
}

/** A tool, and the view in which it was found and is called. */
export type CallTarget = Pick<Extract<FoundTool, { readonly kind: "found" }>, "tool" | "view">;
