// What the tools of a catalog wish to be named, made once for the tables of all profiles: one text in memory is hashed once.

import type { Tool } from "../catalog/tool.js";
import type { NamedTool } from "./assign-names.js";
import type { NamingStyle } from "./style.js";
import type { Why } from "./why.js";
import { wishName } from "./wish-name.js";

export const WISH: Why = Object.freeze({ kind: "wish" });

const known = new WeakMap<readonly Tool[], Map<NamingStyle, readonly NamedTool[]>>();

/** In the order of the tools. */
export function wishesOf(tools: readonly Tool[], style: NamingStyle): readonly NamedTool[] {
  const byStyle = known.get(tools) ?? new Map<NamingStyle, readonly NamedTool[]>();
  known.set(tools, byStyle);
  const wishes =
    byStyle.get(style) ?? tools.map((tool) => ({ name: wishName(tool, style), tool, why: WISH }));
  byStyle.set(style, wishes);
  return wishes;
}
