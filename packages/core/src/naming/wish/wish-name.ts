// The wish: the name that a style gives a tool if nothing prevents it (NAME-1).

import type { Tool } from "../../catalog/tool.js";
import { eachInSteps, type Steps } from "../../names/steps.js";
import { formatToolboxName } from "../../names/toolbox-name.js";
import type { NamedTool } from "../assign/assign-names.js";
import type { NamingStyle } from "./style.js";
import type { Why } from "./why.js";

/** The parts of a wish, used if it is too long: the owner's part is cut before the tool's. */
export interface WishParts {
  /** Names the owner; empty in styles that show only the tool. */
  readonly head: string;
  readonly separator: string;
  readonly body: string;
  /** What remains of the head if the body already names the owner. */
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
      // A server outside every toolbox does not have three parts to show.
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

/** Removes the structure of a tool name: `/` and `.` become `_`. */
export function flatten(toolName: string): string {
  return toolName.includes(".") || toolName.includes("/") ? toolName.replace(/[./]/g, "_") : toolName;
}

function parts(head: string, separator: string, body: string, headWithoutOwner = ""): WishParts {
  return { head, separator, body, headWithoutOwner };
}

// The wishes of a catalog's tools, computed once for the tables of all profiles. Sharing the strings means that
// each is hashed once.

export const WISH: Why = Object.freeze({ kind: "wish" });

const known = new WeakMap<readonly Tool[], Map<NamingStyle, readonly NamedTool[]>>();

/** In the order of the tools. */
export function* wishSteps(tools: readonly Tool[], style: NamingStyle): Steps<readonly NamedTool[]> {
  const byStyle = known.get(tools) ?? new Map<NamingStyle, readonly NamedTool[]>();
  known.set(tools, byStyle);
  const made = byStyle.get(style);
  if (made !== undefined) return made;
  const wishes: NamedTool[] = [];
  yield* eachInSteps(tools, (tool) => wishes.push({ name: wishName(tool, style), tool, why: WISH }));
  byStyle.set(style, wishes);
  return wishes;
}
