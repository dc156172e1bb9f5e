// Tools of the Responses API: functions, on their own or in the namespace of their server.

import type { BeltTool } from "../tool-belt.js";
import { describedAs, functionParametersOf } from "./function-parameters.js";
import type { NamespaceOf } from "./namespaces.js";
import type { ResponsesFunctionTool, ResponsesNamespaceTool } from "./responses-shapes.js";

/** In the order of the catalog; a namespace stands where its first tool would. */
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
