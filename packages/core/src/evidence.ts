// The subpath `@onym/core/evidence`: sources, dates and remarks behind the built-in profiles. Apart from the main
// entry, so that a bundle for a browser does not carry the citations.

import { assistantEvidence } from "./evidence/assistant-evidence.js";
import { editorEvidence } from "./evidence/editor-evidence.js";
import type { Evidence } from "./evidence/evidence.js";
import { frameworkEvidence } from "./evidence/framework-evidence.js";
import { namedEvidence, SAME_ROW } from "./evidence/named-evidence.js";
import { providerEvidence } from "./evidence/provider-evidence.js";
import { terminalEvidence } from "./evidence/terminal-evidence.js";

export type { Evidence } from "./evidence/evidence.js";

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
