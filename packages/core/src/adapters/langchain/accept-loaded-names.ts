// Resolves the names that LangChain's MCP adapters give to tools, in calls and in conversations.

import { addClaim, type Claims, isSeveral } from "../../resolve/spellings/claims.js";
import type { CallOutcome } from "../call-outcome.js";
import type { ProviderCall, ToolBelt } from "../tool-belt.js";
import { prefixOf } from "./read-loaded-tools.js";

/**
 * A belt that also accepts `server__tool`, `prefix__tool` and `prefix__server__tool`. If such a name is also a
 * spelling of another tool, it is ambiguous: names are never guessed.
 */
export function acceptLoadedNames(
  belt: ToolBelt,
  options: { readonly additionalToolNamePrefix: string; readonly reserved: readonly string[] },
): ToolBelt {
  const { additionalToolNamePrefix, reserved } = options;
  const claims: Claims = new Map();
  for (const { tool } of belt.table.tools) {
    addClaim(claims, prefixOf(tool.server, { prefixToolNameWithServerName: true }) + tool.raw, tool);
    // Without a prefix the name is the raw one, which every belt accepts.
    if (additionalToolNamePrefix === "") continue;
    for (const prefixToolNameWithServerName of [true, false]) {
      const prefix = prefixOf(tool.server, { additionalToolNamePrefix, prefixToolNameWithServerName });
      addClaim(claims, prefix + tool.raw, tool);
    }
  }
  // A reserved name resolves to none of these tools.
  for (const name of reserved) claims.delete(name);
  const nameOf = new Map(belt.tools.map(({ name, tool }) => [tool.key, name]));
  const shown = new Set(nameOf.values());
  // An assigned name stays with its tool, even while the model may not see that tool (LIB-4).
  const belongs = (name: string): boolean => shown.has(name) || belt.table.has(name);

  const call = (provider: ProviderCall): CallOutcome => {
    const direct = belt.call(provider);
    const { name } = provider;
    if (typeof name !== "string" || belongs(name)) return direct;
    if (direct.outcome === "refused" && direct.code !== "unknown-tool") return direct;
    const claim = claims.get(name);
    if (claim === undefined) return direct;
    const claimed = isSeveral(claim) ? [...claim] : [claim];
    const meant = new Set(direct.outcome === "call" ? [direct.tool, ...claimed] : claimed);
    // A tool that the model may not see counts as absent.
    const names = [...meant].flatMap(({ key }) => nameOf.get(key) ?? []);
    const [only, ...others] = names;
    if (only === undefined) return direct;
    if (others.length === 0) return { ...belt.call({ ...provider, name: only }), name };
    return {
      outcome: "refused",
      code: "ambiguous-tool",
      message: `${name} could be several tools. You may use: ${names.slice(0, 10).join(", ")}.`,
      callId: direct.callId,
      name,
      suggestions: names,
    };
  };

  return Object.freeze({
    ...belt,
    call,
    refer(written: unknown) {
      const direct = belt.refer(written);
      const claim = belongs(direct.written) ? undefined : claims.get(direct.written);
      if (claim === undefined) return direct;
      const key = isSeveral(claim) ? undefined : claim.key;
      return { ...direct, key: direct.key === undefined || direct.key === key ? key : undefined };
    },
  });
}
