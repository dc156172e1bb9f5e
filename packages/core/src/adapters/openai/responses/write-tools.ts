// The tools of the Responses API: functions, at the top level or in their server's namespace.

import type { BeltTool } from "../../tool-belt.js";
import { describedAs, functionParametersOf } from "../parameters.js";
import type { NamespaceOf } from "./namespaces.js";
import type { ResponsesFunctionTool, ResponsesNamespaceTool } from "./shapes.js";

/** In catalog order; a namespace takes the position of its first tool. */
export function writeResponsesTools(
  entries: readonly BeltTool[],
  namespaceOf: NamespaceOf,
): (ResponsesFunctionTool | ResponsesNamespaceTool)[] {
  const tools: (ResponsesFunctionTool | ResponsesNamespaceTool)[] = [];
  const namespaces = new Map<string, ResponsesNamespaceTool>();
  for (const entry of entries) {
    const namespace = namespaceOf(entry.tool);
    if (namespace === undefined) {
      tools.push(functionToolOf(entry));
      continue;
    }
    const begun = namespaces.get(namespace.name);
    if (begun === undefined) {
      const tool: ResponsesNamespaceTool = {
        type: "namespace",
        ...namespace,
        tools: [functionToolOf(entry)],
      };
      namespaces.set(namespace.name, tool);
      tools.push(tool);
    } else begun.tools.push(functionToolOf(entry));
  }
  return tools;
}

function functionToolOf(entry: BeltTool): ResponsesFunctionTool {
  return {
    type: "function",
    name: entry.name,
    ...describedAs(entry.description),
    parameters: functionParametersOf(entry),
    strict: false,
    ...(entry.deferred ? { defer_loading: true } : {}),
  };
}
