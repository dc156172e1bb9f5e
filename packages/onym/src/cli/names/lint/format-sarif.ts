// Findings as SARIF 2.1.0, for code scanning.

import { pathToFileURL } from "node:url";
import { escapeText, type Severity } from "@onym/core";
import { pathFromHere } from "../../output/show-path.js";
import type { Finding } from "./finding.js";

const LEVELS: Readonly<Record<Severity, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

const RULES: ReadonlyMap<string, string> = new Map([
  ["bad-characters", "A name holds characters that a client or provider does not take."],
  ["spaces", "A name holds a space."],
  ["commas", "A name holds a comma."],
  ["empty", "A name is empty."],
  ["too-long", "A name is longer than a client or provider takes."],
  ["too-short", "A name is shorter than a client or provider takes."],
  ["sent-too-long", "A name is too long once the client has put its prefix on."],
  ["over-safe-length", "A name is longer than is safe everywhere."],
  ["sent-over-safe-length", "A name is longer than is safe once the client has put its prefix on."],
  ["collision", "Two tools reach a client or provider under one name."],
  ["duplicate-tool", "A server lists one name twice."],
  ["look-alike", "Names of different servers can be taken for each other."],
  ["too-many-tools", "There are more tools than a client takes."],
  ["not-static", "A server was left out because its tools are known only when it runs."],
]);

/** The log as a value, to be written as JSON. */
export function formatSarif(findings: readonly Finding[], cwd: string): unknown {
  const codes = [...new Set(findings.map(({ code }) => code))].sort();
  const rules = codes.map((id) => ({
    id,
    shortDescription: { text: RULES.get(id) ?? `A finding of the kind ${id}.` },
    help: { text: "Each finding says what to use instead; onym explain and onym profiles tell more." },
    defaultConfiguration: { level: LEVELS[findings.find(({ code }) => code === id)?.severity ?? "warning"] },
  }));
  return {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "onym", rules } },
        columnKind: "utf16CodeUnits",
        results: findings.map((finding) => resultOf(finding, codes.indexOf(finding.code), cwd)),
      },
    ],
  };
}

function resultOf(
  { code, severity, profile, tool, message, fix, place }: Finding,
  ruleIndex: number,
  cwd: string,
): unknown {
  const physical = place && {
    physicalLocation: {
      artifactLocation: { uri: uriOf(place.file, cwd) },
      region: { startLine: place.line, startColumn: place.column },
    },
  };
  const logical =
    tool === null
      ? undefined
      : { logicalLocations: [{ fullyQualifiedName: escapeText(tool), kind: "function" }] };
  return {
    ruleId: code,
    ruleIndex,
    level: LEVELS[severity],
    message: { text: `${message} ${fix}` },
    ...(physical === undefined && logical === undefined ? {} : { locations: [{ ...physical, ...logical }] }),
    partialFingerprints: { "onymFinding/v1": JSON.stringify([code, profile, tool]) },
  };
}

/** Relative to the current folder where the file is below it, as code scanning wants; else a whole URI. */
function uriOf(file: string, cwd: string): string {
  const path = pathFromHere(file, cwd);
  if (path.startsWith("../../../") || path.startsWith("/")) return pathToFileURL(file).href;
  return path.split("/").map(encodeURIComponent).join("/");
}
