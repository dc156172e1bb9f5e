// The replies of meta tools called as in mcp-workbench (BOX-9): one JSON text, with the fields that its
// clients read. The fields cover its versions 0.5 to 0.14, because a file does not state its version.

import { quoteText } from "@onym/core";
import type { JsonObject } from "../../mcp/json.js";
import type { Steps } from "../../model/run-slices.js";
import {
  formatFailure,
  type MetaResults,
  moreLine,
  type OpenedToolbox,
  type ToolboxSummary,
  type ToolSummary,
} from "./format-meta-results.js";

/**
 * The tool count of a server that has not been listed yet. Clients expect a number; it is only an estimate.
 */
const TOOLS_BEFORE_ASKED = 10;

export const WORKBENCH_RESULTS: MetaResults = {
  list: (toolboxes) =>
    jsonResult({
      toolboxes: toolboxes.map(toolboxFields),
      total_count: toolboxes.length,
      open_count: toolboxes.filter(({ isOpen }) => isOpen).length,
    }),
  opened: formatOpened,
  closed: (toolbox, { wasOpen }) =>
    wasOpen
      ? { content: [{ type: "text", text: `Toolbox ${quoteText(toolbox)} is closed.` }] }
      : formatFailure({ problem: "The toolbox is not open.", toolbox }),
  repeatsSchemas: true,
};

function toolboxFields({ toolbox, description, servers, tools, isOpen }: ToolboxSummary): JsonObject {
  return {
    name: toolbox,
    description: description ?? "",
    tool_count: tools ?? servers * TOOLS_BEFORE_ASKED,
    is_open: isOpen,
  };
}

function* formatOpened(opened: OpenedToolbox): Steps<JsonObject> {
  const { toolbox, description, connected, areListed, tools, more, missing } = opened;
  const registered = {
    tools_registered: tools.length + more,
    message: `Toolbox ${quoteText(toolbox)} is open; its tools are in the list of tools.`,
  };
  yield;
  return jsonResult({
    toolbox,
    description: description ?? "",
    servers_connected: connected,
    tools: tools.map(toolFields),
    ...(more === 0 ? {} : { more: moreLine(opened).join("") }),
    ...(areListed ? registered : {}),
    ...(missing.length === 0 ? {} : { missing }),
  });
}

function toolFields(tool: ToolSummary): JsonObject {
  const { name, raw, server, toolbox, title, description, inputSchema, annotations } = tool;
  const source = { source_server: server, toolbox_name: toolbox };
  return {
    name,
    ...(title === undefined ? {} : { title }),
    description: description ?? "",
    inputSchema: inputSchema ?? { type: "object" },
    ...(annotations === undefined ? {} : { annotations }),
    ...source,
    server,
    toolbox,
    _meta: { ...source, original_name: raw },
  };
}

function jsonResult(value: JsonObject): JsonObject {
  return { content: [{ type: "text", text: JSON.stringify(value, undefined, 2) }], structuredContent: value };
}
