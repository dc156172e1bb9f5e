// What a lasting approval is bound to: who, which tool of which server, started how, and what it says it does (POL-2).

import type { Tool, ToolDefinition } from "../catalog/tool.js";
import type { ToolKey } from "../identity/tool-key.js";
import { type DefinitionDigest, definitionDigest, digestedFields } from "./definition-digest.js";

/** No public name, alias, style or profile is part of it, so that no renaming can widen or lose an approval. */
export interface ToolBinding {
  /** For whom it is decided. */
  readonly principal: string;
  /** Toolbox, server id and raw name. */
  readonly tool: ToolKey;
  /**
   * Fingerprint of how the server is started or reached, as the caller makes it: the id alone says nothing about what
   * runs behind it. Compared, never read.
   */
  readonly launch: string;
  readonly digest: DefinitionDigest;
  /** What the digest is of, to tell later what has changed. */
  readonly definition: ToolDefinition;
}

/**
 * Binds a tool as it is now. Decide with it, show its definition to a person, and record the same value: should the
 * tool change in between, the approval is for what was shown.
 *
 * @throws TypeError for a definition that contains itself, which no server can send.
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
