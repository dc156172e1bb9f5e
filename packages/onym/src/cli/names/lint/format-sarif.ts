// Findings as SARIF 2.1.0, within what GitHub's code scanning documents: a location in the repository for every result with all
// four ends of its region, relative addresses, fingerprints that outlive other lines, and no more results than it shows. Read
// 2026-11-17 in "SARIF support for code scanning" (github/docs at 058fa63bfe93) and "SARIF results exceed one or more limits". A
// file may have 10 MB when it is compressed; that is not checked here.

import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { escapeText, type Severity } from "@onym/core";
import type { Place } from "../../../config/json/json-path.js";
import { encodeUriText } from "../../../model/encode-text.js";
import { pathFromHere } from "../../../output/wording.js";
import { findingKey } from "./baseline.js";
import type { Finding } from "./finding.js";
import { ruleOf } from "./rules.js";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

/** A run with more than 25,000 results is refused, and of more than 5,000 only the gravest are kept. */
const MAX_RESULTS = 5_000;

/** The limit that is documented for descriptions of rules; there is none for messages, which are held to the same. */
const MAX_TEXT = 1_024;

const HELP_URI = "https://github.com/onym/onym/blob/main/docs/lint.md";

export interface SarifInput {
  readonly cwd: string;
  readonly version: string;
  /** Where results stand that are about no file, or about one outside of the folder. */
  readonly fallback: string;
}

/** The log as a value, to be written as JSON. */
export function formatSarif(findings: readonly Finding[], input: SarifInput): unknown {
  const kept = [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity]).slice(0, MAX_RESULTS);
  const codes = [...new Set(kept.map(({ code }) => code))].sort();
  const rules = codes.map((id) => {
    const { short, help } = ruleOf(id);
    const severity = kept.find(({ code }) => code === id)?.severity ?? "warning";
    return {
      id,
      name: id,
      shortDescription: { text: short },
      fullDescription: { text: `${short} ${help}` },
      help: { text: help, markdown: `${help} [More about this rule](${HELP_URI}).` },
      helpUri: HELP_URI,
      defaultConfiguration: { level: LEVELS[severity] },
      properties: {
        tags: ["mcp", "naming"],
        "problem.severity": severity === "info" ? "recommendation" : severity,
      },
    };
  });
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "onym",
            version: input.version,
            semanticVersion: input.version,
            informationUri: "https://github.com/onym/onym",
            rules,
          },
        },
        columnKind: "utf16CodeUnits",
        results: kept.map((finding) => resultOf(finding, codes.indexOf(finding.code), input)),
      },
    ],
  };
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

function resultOf(finding: Finding, ruleIndex: number, input: SarifInput): unknown {
  const { code, severity, tool, message, fix } = finding;
  const { uri, line, column } = locationOf(finding.place, input);
  const text = `${message} ${fix}`;
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT - 1)}…` : text },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri, uriBaseId: "%SRCROOT%" },
          region: { startLine: line, startColumn: column, endLine: line, endColumn: column + 1 },
        },
        ...(tool === null
          ? {}
          : { logicalLocations: [{ fullyQualifiedName: escapeText(tool), kind: "function" }] }),
      },
    ],
    // The only fingerprint that code scanning uses; here neither lines nor words of a message are in it.
    partialFingerprints: { primaryLocationLineHash: `${digestOf(findingKey(finding))}:1` },
  };
}

function locationOf(
  place: Place | undefined,
  { cwd, fallback }: SarifInput,
): { readonly uri: string; readonly line: number; readonly column: number } {
  const path = place === undefined ? undefined : pathFromHere(place.file, cwd);
  if (place === undefined || path === undefined || path.startsWith("../") || isAbsolute(path))
    return { uri: uriOf(fallback), line: 1, column: 1 };
  return { uri: uriOf(path), line: place.line, column: place.column };
}

function uriOf(path: string): string {
  return path.split("/").map(encodeUriText).join("/");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
