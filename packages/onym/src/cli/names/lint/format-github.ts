// Findings as workflow commands, which GitHub shows as annotations on the lines they are about.

import type { Severity } from "@onym/core";
import { pathFromHere } from "../../../output/wording.js";
import type { Finding } from "./finding.js";

const COMMANDS: Readonly<Record<Severity, string>> = { error: "error", warning: "warning", info: "notice" };

export function formatGithub(
  findings: readonly Finding[],
  { cwd, fallback }: { readonly cwd: string; readonly fallback: string },
): string {
  return findings
    .map(({ severity, code, profile, message, fix, place }) => {
      const properties = [
        ...(place === undefined
          ? [["file", fallback]]
          : [
              ["file", pathFromHere(place.file, cwd)],
              ["line", String(place.line)],
              ["col", String(place.column)],
            ]),
        ["title", profile === null ? `onym: ${code}` : `onym: ${code} (${profile})`],
      ].map(([key, value]) => `${key}=${escapeProperty(value ?? "")}`);
      return `::${COMMANDS[severity]} ${properties.join(",")}::${escapeData(`${message} ${fix}`)}\n`;
    })
    .join("");
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
