// The canonical grammar `[toolbox:]integration@V/[suite.]tool@V` (CANON-1 to CANON-3, CANON-7): text ⇄ structured name.

import type { ParseResult, Problem } from "./problem.js";
import { isToolboxId } from "./toolbox-name.js";
import { parseVersion, type VersionRequest } from "./version.js";

declare const canonicalName: unique symbol;

/** The only form in which a canonical name is stored, shown and compared. Created by `formatCanonicalName`. */
export type CanonicalName = string & { readonly [canonicalName]: true };

/** The parts of a canonical name. `tool` is the raw name, unchanged. */
export interface ParsedToolName {
  /** The toolbox prefix; `undefined` if the name has none (CANON-7). */
  readonly toolbox: string | undefined;
  /** As written. Upper case is kept: the caller decides about folding (CANON-4). */
  readonly integration: string;
  readonly integrationVersion: VersionRequest;
  readonly tool: string;
  /** The part of `tool` before its last dot, if it has one. */
  readonly suite: string | undefined;
  readonly toolVersion: VersionRequest;
}

const INTEGRATION = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether a text is a valid stored integration: lower-case kebab. */
export function isIntegration(text: string): boolean {
  return INTEGRATION.test(text);
}

/**
 * Parses a canonical name. Accepts every version spelling that CANON-3 allows. Never throws.
 *
 * @example
 * parseToolName("data-grout@1/prism.refract@1");
 * // { ok: true, value: { toolbox: undefined, integration: "data-grout", integrationVersion: 1, tool: "prism.refract", suite: "prism", toolVersion: 1 } }
 */
export function parseToolName(text: string): ParseResult<ParsedToolName> {
  const slash = text.indexOf("/");
  if (slash < 0) {
    return refuse(
      "no-slash",
      "There is no / between integration and tool.",
      "Write integration@version/tool@version, for example salesforce@1/get_leads@1.",
      text.length,
    );
  }
  // Toolbox ids and integrations cannot contain a colon, so a colon before the slash ends the toolbox. Raw names
  // may contain colons.
  const colon = text.indexOf(":");
  const hasToolbox = colon >= 0 && colon < slash;
  const toolbox = hasToolbox ? text.slice(0, colon) : undefined;
  if (toolbox !== undefined && !isToolboxId(toolbox)) {
    return refuse(
      "bad-toolbox",
      toolbox === ""
        ? "There is no toolbox before the :."
        : "The text before the : is not the id of a toolbox.",
      "Write toolbox:integration@version/tool@version, for example dev:filesystem@1/read_file@1.",
      0,
    );
  }
  const firstAt = text.indexOf("@");
  const ownerAt = firstAt < slash ? firstAt : -1;
  const start = hasToolbox ? colon + 1 : 0;
  const integration = text.slice(start, ownerAt < 0 ? slash : ownerAt);
  if (!isKebabAnyCase(integration)) {
    return refuse(
      "bad-integration",
      integration === ""
        ? "There is no integration before the /."
        : "The text before the / is not an integration.",
      "Use words of letters and digits joined by single hyphens, for example data-grout.",
      start,
    );
  }
  const integrationVersion = parseVersion(
    ownerAt < 0 ? undefined : text.slice(ownerAt + 1, slash),
    ownerAt + 1,
  );
  if (!integrationVersion.ok) return integrationVersion;

  const toolAt = findLast(text, "@", slash + 1);
  const hasToolVersion = toolAt > 0;
  const tool = text.slice(slash + 1, hasToolVersion ? toolAt : undefined);
  const toolVersion = parseVersion(hasToolVersion ? text.slice(toolAt + 1) : undefined, toolAt + 1);
  if (!toolVersion.ok) return toolVersion;

  const dot = findLast(tool, ".", 0);
  return {
    ok: true,
    value: {
      toolbox,
      integration,
      integrationVersion: integrationVersion.value,
      tool,
      suite: dot > 0 ? tool.slice(0, dot) : undefined,
      toolVersion: toolVersion.value,
    },
  };
}

/**
 * Formats a canonical name. Nothing needs escaping and the form is injective: a `:` before the first `/` ends the
 * toolbox, the first `/` ends the integration, the last `@` starts the tool's version.
 *
 * @example
 * formatCanonicalName({ integration: "salesforce", integrationVersion: 1, tool: "get_leads", toolVersion: 1 });
 * // "salesforce@1/get_leads@1"
 */
export function formatCanonicalName(parts: {
  readonly toolbox?: string | undefined;
  readonly integration: string;
  readonly integrationVersion: number;
  readonly tool: string;
  readonly toolVersion: number;
}): CanonicalName {
  const { toolbox, integration, integrationVersion, tool, toolVersion } = parts;
  const owner = toolbox === undefined ? integration : `${toolbox}:${integration}`;
  // `join` builds a flat string. A concatenated string is copied again when it is first used as a map key.
  return [owner, `@${integrationVersion}/`, tool, `@${toolVersion}`].join("") as CanonicalName;
}

/**
 * The canonical name without its toolbox prefix.
 *
 * @example
 * withoutToolbox("dev:filesystem@1/read_file@1"); // "filesystem@1/read_file@1"
 */
export function withoutToolbox(canonical: string): string {
  const colon = canonical.indexOf(":");
  return colon >= 0 && colon < canonical.indexOf("/") ? canonical.slice(colon + 1) : canonical;
}

/** Like `lastIndexOf`, which is several times slower when the text has one match or none. */
function findLast(text: string, character: string, from: number): number {
  let last = -1;
  for (let at = text.indexOf(character, from); at >= 0; at = text.indexOf(character, at + 1)) last = at;
  return last;
}

/**
 * Words of letters and digits joined by single hyphens. A loop for speed: it runs for every loosely written name.
 */
function isKebabAnyCase(text: string): boolean {
  let wasWord = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const isWord =
      (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39);
    if (!isWord && (unit !== 0x2d || !wasWord)) return false;
    wasWord = isWord;
  }
  return wasWord;
}

function refuse(
  code: string,
  message: string,
  fix: string,
  position: number,
): { ok: false; problem: Problem } {
  return { ok: false, problem: { code, severity: "error", message, fix, position } };
}
