// Whether a client declared that it can answer a question: asked before the client is (GW-5).

import { isJsonObject, type JsonObject, ownValue } from "../../mcp/json.js";
import type { ServerRequest } from "../downstream.js";

/** The capability that is missing for it, as a path; `undefined` where nothing is missing. */
export function lackingCapability(
  { method, params }: ServerRequest,
  capabilities: JsonObject,
): string | undefined {
  switch (method) {
    case "roots/list":
      return has(capabilities, "roots") ? undefined : "roots";
    case "sampling/createMessage": {
      if (!has(capabilities, "sampling")) return "sampling";
      const tools = ownValue(params, "tools") !== undefined || ownValue(params, "toolChoice") !== undefined;
      return tools && !has(capabilities, "sampling", "tools") ? "sampling.tools" : undefined;
    }
    case "elicitation/create": {
      if (!has(capabilities, "elicitation")) return "elicitation";
      const url = has(capabilities, "elicitation", "url");
      if (ownValue(params, "mode") === "url") return url ? undefined : "elicitation.url";
      // Clients before 2025-11-25 declare `{}` and mean forms.
      return url && !has(capabilities, "elicitation", "form") ? "elicitation.form" : undefined;
    }
    default:
      return method;
  }
}

function has(capabilities: JsonObject, ...path: readonly string[]): boolean {
  let at: unknown = capabilities;
  for (const key of path) at = isJsonObject(at) ? ownValue(at, key) : undefined;
  return isJsonObject(at);
}
