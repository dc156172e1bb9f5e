// What a lasting approval is bound to: the principal, the tool, its server's launch, and the tool's definition
// (POL-2).

import type { Tool, ToolDefinition } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { type DefinitionDigest, definitionDigest, digestedFields } from "./definition-digest.js";

/** Contains no public name, alias, style or profile, so no renaming can widen or lose an approval. */
export interface ToolBinding {
  /** For whom it is decided. */
  readonly principal: string;
  /** Toolbox, server id and raw name. */
  readonly tool: ToolKey;
  /**
   * Fingerprint of how the server is started or reached, made by the caller: the id alone says nothing about what
   * runs. Only compared, never parsed.
   */
  readonly launch: string;
  readonly digest: DefinitionDigest;
  /** The definition behind the digest, to show later what has changed. */
  readonly definition: ToolDefinition;
}

/**
 * Binds a tool in its present state. Decide with it, show its definition to a person, and record the same value. If
 * the tool changes in between, the approval is for what was shown.
 *
 * @throws TypeError for a definition that contains itself, which no server can send.
 *
 * @example
 * const binding = toolBindingOf({ principal: "ann", launch: "npx docs-server@2", tool });
 */
export function toolBindingOf(input: {
  readonly principal: string;
  readonly launch: string;
  readonly tool: Pick<Tool, "key" | "definition">;
}): ToolBinding {
  const { principal, launch, tool } = input;
  return {
    principal,
    tool: tool.key,
    launch,
    digest: definitionDigest(tool.definition),
    definition: digestedFields(tool.definition),
  };
}
