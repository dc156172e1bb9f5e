// Whether a pattern means a tool: by what the tool is, never by how a call spelled it (POL-1).

import {
  formatCanonicalName,
  parseToolName,
  plainIntegration,
  type Tool,
  type VersionRequest,
} from "@onym/core";
import { compileGlob } from "./compile-glob.js";
import type { ToolPattern, VersionPattern } from "./policy-input.js";

/**
 * `any`: deny and ask, which reach every version and every former name. `own`: allow, which needs the identity itself,
 * in version 1 where none is written.
 */
export type Reach = "any" | "own";

/** A name that a tool has or had, in the parts that patterns speak of. */
export interface NamedIdentity {
  /** The canonical name, or the former one. */
  readonly name: string;
  readonly isFormer: boolean;
  readonly toolbox: string | undefined;
  readonly integration: string;
  readonly integrationVersion: VersionRequest;
  readonly tool: string;
  readonly toolVersion: VersionRequest;
}

/** Which name of a tool a pattern means; nothing where it means another tool. */
export type ToolMatcher = (names: readonly NamedIdentity[]) => NamedIdentity | undefined;

export function compileToolPatterns(patterns: readonly ToolPattern[], reach: Reach): ToolMatcher {
  const matchers = patterns.map((pattern) => compilePattern(pattern, reach));
  return (names) => {
    for (const name of names) {
      if (reach === "own" && name.isFormer) continue;
      for (const matches of matchers) if (matches(name)) return name;
    }
    return undefined;
  };
}

/** The tool's own identity first, then what it was called before. Former names that are not canonical mean nothing here. */
export function namesOfTool(tool: Tool, formerNames: readonly string[]): readonly NamedIdentity[] {
  const { canonical, toolbox, integration, integrationVersion, toolName, toolVersion } = tool;
  const own: NamedIdentity = {
    name: canonical,
    isFormer: false,
    toolbox,
    integration,
    integrationVersion,
    tool: toolName,
    toolVersion,
  };
  // Before a server with nearly the same id was there it had this integration, or would have had it (NAME-8).
  const plain = plainIntegration(tool);
  const set =
    plain === integration
      ? []
      : [{ ...own, name: plainName(tool, plain), isFormer: true, integration: plain }];
  if (formerNames.length === 0 && set.length === 0) return [own];
  // A former name without a toolbox is the tool's in the toolbox that it is in.
  return [own, ...set, ...formerNames.flatMap((name) => formerIdentity(name, toolbox))];
}

function plainName(tool: Tool, integration: string): string {
  const { toolbox, integrationVersion, toolName, toolVersion } = tool;
  return formatCanonicalName({ toolbox, integration, integrationVersion, tool: toolName, toolVersion });
}

/** A canonical name of a tool that is not there, to hold patterns against. */
export function formerIdentity(name: string, toolboxOfTool?: string): readonly NamedIdentity[] {
  const parsed = parseToolName(name);
  if (!parsed.ok) return [];
  const { toolbox = toolboxOfTool, integration, integrationVersion, tool, toolVersion } = parsed.value;
  return [
    {
      name,
      isFormer: true,
      toolbox,
      // Integrations are lower case wherever they are stored (CANON-1); people declare renames in any.
      integration: integration.toLowerCase(),
      integrationVersion,
      tool,
      toolVersion,
    },
  ];
}

function compilePattern(pattern: ToolPattern, reach: Reach): (name: NamedIdentity) => boolean {
  const matchesToolbox = pattern.toolbox === undefined ? undefined : compileGlob(pattern.toolbox);
  const matchesIntegration = compileGlob(pattern.integration);
  const matchesName = compileGlob(pattern.tool);
  const integrationVersion = wantedVersion(pattern.integrationVersion, reach);
  const toolVersion = wantedVersion(pattern.toolVersion, reach);
  return (name) =>
    isVersion(integrationVersion, name.integrationVersion) &&
    isVersion(toolVersion, name.toolVersion) &&
    (matchesToolbox === undefined || (name.toolbox !== undefined && matchesToolbox(name.toolbox))) &&
    matchesIntegration(name.integration) &&
    matchesName(name.tool);
}

function wantedVersion(version: VersionPattern, reach: Reach): number | "any" {
  return version ?? (reach === "any" ? "any" : 1);
}

/** Only a former name can say `latest`; which version that was, nobody knows any more, so it may be each. */
function isVersion(wanted: number | "any", version: VersionRequest): boolean {
  return wanted === "any" || version === "latest" || wanted === version;
}
