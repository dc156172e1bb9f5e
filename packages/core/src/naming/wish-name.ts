// The wish: the name a style gives a tool when nothing stands in its way (NAME-1).

import type { Tool } from "../catalog/tool.js";
import { formatToolboxName } from "../names/toolbox-name.js";
import type { NamingStyle } from "./style.js";

/** A wish in its parts, for when it is too long: what names the owner goes before what names the tool. */
export interface WishParts {
  /** Names the owner; empty in styles that show the tool alone. */
  readonly head: string;
  readonly separator: string;
  readonly body: string;
  /** What is left of the head when the body already names the owner. */
  readonly headWithoutOwner: string;
}

/**
 * @example
 * wishName(tool, "flat"); // "dg_prism_refract" for data-grout@1/prism.refract@1
 */
export function wishName(tool: Tool, style: NamingStyle): string {
  switch (style) {
    case "flat":
      return `${tool.label}_${flatten(tool.toolName)}`;
    case "toolbox":
      // A downstream outside every toolbox has no three parts to show.
      return tool.toolbox === undefined
        ? wishName(tool, "flat")
        : formatToolboxName({ toolbox: tool.toolbox, server: tool.server, originalTool: tool.raw });
    case "canonical":
      return tool.canonical;
    case "dotted":
      return `${tool.server}.${tool.raw}`;
    case "slashed":
      return `${tool.server}/${tool.raw}`;
    case "encoded":
      return tool.raw.includes(".") ? tool.raw.replaceAll(".", "__") : tool.raw;
    case "prefixed":
      return `mcp_${tool.server}__${tool.raw}`;
    case "bare":
      return tool.raw;
  }
}

export function wishParts(tool: Tool, style: NamingStyle): WishParts {
  switch (style) {
    case "flat":
      return parts(tool.label, "_", flatten(tool.toolName));
    case "toolbox":
      return tool.toolbox === undefined
        ? wishParts(tool, "flat")
        : parts(`${tool.toolbox}__${tool.server}`, "__", tool.raw, tool.toolbox);
    case "canonical":
      return parts(
        `${tool.toolbox === undefined ? "" : `${tool.toolbox}:`}${tool.integration}@${tool.integrationVersion}`,
        "/",
        `${tool.toolName}@${tool.toolVersion}`,
        tool.toolbox,
      );
    case "dotted":
      return parts(tool.server, ".", tool.raw);
    case "slashed":
      return parts(tool.server, "/", tool.raw);
    case "prefixed":
      return parts(`mcp_${tool.server}`, "__", tool.raw, "mcp");
    case "encoded":
    case "bare":
      return parts("", "", wishName(tool, style));
  }
}

/** Drops the structure of a tool name: `/` and `.` become `_`. */
export function flatten(toolName: string): string {
  return toolName.includes(".") || toolName.includes("/") ? toolName.replace(/[./]/g, "_") : toolName;
}

function parts(head: string, separator: string, body: string, headWithoutOwner = ""): WishParts {
  return { head, separator, body, headWithoutOwner };
}
