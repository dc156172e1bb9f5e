// Policies for tests, from what a config would hold, and tools to hold them against.

import type { Tool, ToolSource } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import type { ConfigFile } from "../../packages/onym/src/config/schema/config-schema.js";
import { readPolicy } from "../../packages/onym/src/config/sections/read-policy.js";
import { buildPolicy, type Policy, type PolicyFacts } from "../../packages/onym/src/policy/build-policy.js";

export type WrittenPolicy = NonNullable<ConfigFile["policy"]>;

/** Reads the section as a config is read, so that a mistake in a test is told. */
export function policyOf(
  written: WrittenPolicy,
  facts?: PolicyFacts,
  sources: readonly ToolSource[] = [],
): Policy {
  const config = readPolicy(
    { default: "allow", ...written },
    {
      owners: sources.map(({ server, toolbox }) => ({ server, toolbox })),
      toolboxes: [],
      note: (path, { message }) => {
        throw new Error(`${path.join(".")}: ${message}`);
      },
      remark: () => undefined,
    },
  );
  return buildPolicy(config, facts);
}

export function toolsOf(sources: readonly ToolSource[]): readonly Tool[] {
  return buildCatalog(sources).tools;
}

/** The one tool of one server. */
export function toolOf(source: ToolSource): Tool {
  const [tool] = toolsOf([source]);
  if (tool === undefined) throw new Error("no tool");
  return tool;
}
