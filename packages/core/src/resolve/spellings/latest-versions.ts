// What `latest` means in a canonical name: the highest version that is there (CANON-3).

import type { Catalog } from "../../catalog/build-catalog.js";
import type { Tool } from "../../catalog/tool.js";
import { foldAscii } from "../../names/ascii-fold.js";
import type { ParsedToolName } from "../../names/canonical-name.js";
import { eachInSteps, type Steps } from "../../names/steps.js";
import { addClaim, type Claim, type Claims, isSeveral } from "./claims.js";

/** The tools of an owner and a tool name, by both: as written, and in lower case. */
export interface LatestVersions {
  readonly exact: ReadonlyMap<string, Claim>;
  readonly folded: ReadonlyMap<string, Claim>;
}

/**
 * What the highest versions are found from: of an integration among those that have the tool, and of the tool inside one of
 * them. If the newest version of an integration dropped a tool, the tool still has a latest version.
 */
export function* latestVersionSteps(catalog: Catalog): Steps<LatestVersions> {
  const exact: Claims = new Map();
  const folded: Claims = new Map();
  const add = (text: string, tool: Tool): void => {
    addClaim(exact, text, tool);
    addClaim(folded, foldAscii(text), tool);
  };
  yield* eachInSteps(catalog.tools, (tool) => {
    const { toolbox, integration, integrationVersion, toolName, toolVersion } = tool;
    // A name without a toolbox means every toolbox.
    for (const owner of toolbox === undefined ? [integration] : [integration, `${toolbox}:${integration}`]) {
      add(`${owner}/${toolName}`, tool);
      add(`${owner}/${toolName}@${toolVersion}`, tool);
      add(`${owner}@${integrationVersion}/${toolName}`, tool);
    }
  });
  return { exact, folded };
}

/** If nothing is present, the newest version is 1, which an absent version means too. */
export function newestVersions(
  { toolbox, integration, integrationVersion, tool, toolVersion }: ParsedToolName,
  { exact, folded }: LatestVersions,
  seen: (claim: Claim | undefined) => Claim | undefined,
): { readonly integrationVersion: number; readonly toolVersion: number } {
  const owner = toolbox === undefined ? foldAscii(integration) : `${toolbox}:${foldAscii(integration)}`;
  const wanted = toolVersion === "latest" ? tool : `${tool}@${toolVersion}`;
  // If the text matches a present tool exactly, tools that differ in case do not count (CANON-4).
  const toolsAt = (text: string): Claim | undefined =>
    seen(exact.get(text)) ?? seen(folded.get(foldAscii(text)));
  const version =
    integrationVersion === "latest"
      ? highest(toolsAt(`${owner}/${wanted}`), (one) => one.integrationVersion)
      : integrationVersion;
  return {
    integrationVersion: version,
    toolVersion:
      toolVersion === "latest"
        ? highest(toolsAt(`${owner}@${version}/${tool}`), (one) => one.toolVersion)
        : toolVersion,
  };
}

function highest(claim: Claim | undefined, versionOf: (tool: Tool) => number): number {
  if (claim === undefined) return 1;
  if (!isSeveral(claim)) return versionOf(claim);
  let version = 1;
  for (const tool of claim) version = Math.max(version, versionOf(tool));
  return version;
}
