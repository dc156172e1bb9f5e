// The forms that people and clients make from a server and a tool: `server.tool`, `mcp__server__tool` and similar.
// All contain the same two names, so this stores each server once and each raw name once per server, not every form
// of every tool.

import { compareTools } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import type { Owner } from "../../identity/tool-key.js";
import { eachInSteps, type Steps } from "../../names/steps.js";
import { formatToolboxName } from "../../names/toolbox-name.js";
import { wishName } from "../../naming/wish/wish-name.js";
import { addClaim, type Claim, type Claims, lookUp, unite } from "./claims.js";

/** Every text that may precede the raw name of a tool. */
export function serverStarts({ server, toolbox }: Owner): readonly string[] {
  const starts = [`${server}.`, `${server}/`, `mcp__${server}__`, `mcp_${server}__`, `mcp_${server}_`];
  if (toolbox !== undefined) starts.push(formatToolboxName({ toolbox, server, originalTool: "" }));
  return starts;
}

/** Every tool with a form that is exactly this text. */
export function* serverFormSteps(tools: readonly Tool[]): Steps<(text: string) => Claim | undefined> {
  const byServer = new Map<string, Claims>();
  /** By toolbox and server, `box__server__`. */
  const boxed = new Map<string, Claims>();
  const encoded: Claims = new Map();
  let owner: Tool | undefined;
  let own: readonly Claims[] = [];
  yield* eachInSteps(tools, (tool) => {
    // Tools of one server are usually adjacent.
    if (tool.server !== owner?.server || tool.toolbox !== owner.toolbox) {
      own = [claimsAt(byServer, tool.server)];
      if (tool.toolbox !== undefined) own = [...own, claimsAt(boxed, serverStarts(tool).at(-1) ?? "")];
      owner = tool;
    }
    for (const claims of own) addClaim(claims, tool.raw, tool);
    if (tool.raw.includes(".")) addClaim(encoded, wishName(tool, "encoded"), tool);
  });
  const lengths = [...new Set([...byServer.keys()].map(({ length }) => length))];

  return (text) => {
    let found: Claim | undefined = lookUp(encoded, text);
    const add = (claims: Claims | undefined, rawAt: number): void => {
      // Several tools are returned in catalog order.
      found = unite(found, claims?.get(text.slice(rawAt)), compareTools);
    };
    if (boxed.size > 0) {
      // Neither id contains the separator, so the first two separators count (BOX-4).
      const rawAt = text.indexOf("__", text.indexOf("__") + 2) + 2;
      add(boxed.get(text.slice(0, rawAt)), rawAt);
    }
    // Where the id may begin: at the start, after `mcp_` or after `mcp__`.
    const last = !text.startsWith("mcp_") ? 0 : text.charCodeAt(4) === UNDERSCORE ? 5 : 4;
    for (const length of lengths) {
      for (let from = 0; from <= last; from += from === 0 ? 4 : 1) {
        const end = from + length;
        const isOne = from === 0 ? isPoint(text.charCodeAt(end)) : text.charCodeAt(end) === UNDERSCORE;
        if (!isOne) continue;
        const isTwo = from > 0 && text.charCodeAt(end + 1) === UNDERSCORE;
        if (from === 5 && !isTwo) continue;
        const claims = byServer.get(text.slice(from, end));
        if (from < 5) add(claims, end + 1);
        if (isTwo) add(claims, end + 2);
      }
    }
    return found;
  };
}

const UNDERSCORE = 0x5f;

function isPoint(unit: number): boolean {
  return unit === 0x2e || unit === 0x2f;
}

function claimsAt(map: Map<string, Claims>, key: string): Claims {
  const claims = map.get(key) ?? new Map();
  map.set(key, claims);
  return claims;
}
