// The subpath `@onym/core/evidence`: sources, dates and remarks behind the built-in profiles. Separate from the
// main entry, so that browser bundles do not contain the citations.

import { assistantEvidence } from "./assistant-evidence.js";
import { editorEvidence } from "./editor-evidence.js";
import type { Evidence } from "./evidence.js";
import { frameworkEvidence } from "./framework-evidence.js";
import { namedEvidence, SAME_ROW } from "./named-evidence.js";
import { providerEvidence } from "./provider-evidence.js";
import { terminalEvidence } from "./terminal-evidence.js";

export type { Evidence } from "./evidence.js";

let byId: ReadonlyMap<string, Evidence> | undefined;

/**
 * What is known about a built-in profile beyond its fields.
 *
 * @example
 * evidenceFor("cursor")?.sources[0];
 */
export function evidenceFor(id: string): Evidence | undefined {
  byId ??= indexEvidence();
  const row = byId.get(SAME_ROW.get(id) ?? id);
  return row === undefined || row.id === id ? row : { ...row, id };
}

function indexEvidence(): ReadonlyMap<string, Evidence> {
  const all = [
    ...namedEvidence,
    ...providerEvidence,
    ...assistantEvidence,
    ...editorEvidence,
    ...terminalEvidence,
    ...frameworkEvidence,
  ];
  return new Map(all.map((evidence) => [evidence.id, evidence]));
}
