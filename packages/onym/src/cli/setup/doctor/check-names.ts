// Whether every tool has a name in the clients that matter, and what would become of the raw names without Onym.

import type { CatalogProblem, Profile, Snapshot } from "@onym/core";
import { findLookAlikes } from "@onym/core/naming";
import type { Config } from "../../../config/config.js";
import { profileOf } from "../../../configured/profile-of.js";
import { countNoun } from "../../../output/wording.js";
import { rawProblems } from "../../names/matrix/raw-names.js";
import type { Check } from "./check.js";

const USUAL = ["claude-code", "cursor", "vscode", "openai", "gemini"];

/** Of one kind, so that a large catalog does not bury the rest. */
const MAX_SHOWN = 5;

/** @param connected Profiles of the clients in which Onym is registered: they come first, then the usual ones. A config that names one client is about that one. */
export function checkNames(
  snapshot: Snapshot,
  { naming: { profile }, profiles: known }: Pick<Config, "naming" | "profiles">,
  connected: readonly string[],
): readonly Check[] {
  const { tools } = snapshot.catalog;
  // Where every tool is left out, it is reported all the more.
  if (tools.length === 0) return showSome("names", snapshot.problems);
  const profiles = (profile === undefined ? [...new Set([...connected, ...USUAL])] : [profile]).map((id) =>
    profileOf(id, known),
  );
  return [
    ...profiles.map((one) => checkProfile(snapshot, one)),
    ...showSome("names", snapshot.problems),
    ...showSome("names", tableProblems(snapshot, profiles)),
    ...showSome("look-alikes", findLookAlikes(tools)),
  ];
}

function checkProfile(snapshot: Snapshot, profile: Profile): Check {
  const { tools } = snapshot.catalog;
  const table = snapshot.namesFor(profile);
  const about = { group: "Names", name: profile.id } as const;
  const lost = tools.length - table.tools.length;
  const names = `${countNoun(table.tools.length, "valid name")}; ${withoutOnym(snapshot, profile)}`;
  if (lost > 0) {
    const [first] = table.problems;
    const fix = first === undefined ? "See onym names." : `${first.message} ${first.fix}`;
    return { ...about, status: "error", message: `${countNoun(lost, "tool")} without a name; ${names}`, fix };
  }
  if (profile.maxTools !== undefined && tools.length > profile.maxTools) {
    const message = `${names}; it takes ${profile.maxTools} tools at most`;
    return { ...about, status: "warning", message, fix: "Show fewer with toolFilters or toolboxes." };
  }
  return { ...about, status: "ok", message: names };
}

/** What tables say beside a tool without a name, and beside too many, which are reported with the profile. */
function tableProblems(snapshot: Snapshot, profiles: readonly Profile[]): readonly CatalogProblem[] {
  const parts = new Set(["not-nameable", "too-many-tools"]);
  return profiles
    .flatMap((profile) => snapshot.namesFor(profile).problems)
    .filter(({ code }) => !parts.has(code));
}

/** Codes of raw names that break rules of characters have many names; the rest is reported apart. */
function withoutOnym({ catalog: { tools } }: Snapshot, profile: Profile): string {
  let long = 0;
  let colliding = 0;
  let refused = 0;
  let changed = 0;
  for (const { code, severity } of rawProblems(tools, profile).values()) {
    if (code === "collision") colliding += 1;
    else if (severity !== "error") changed += 1;
    else if (/long/.test(code)) long += 1;
    else refused += 1;
  }
  const parts = Object.entries({
    refused,
    "too long": long,
    "in collision": colliding,
    "changed or frowned upon": changed,
  }).flatMap(([what, count]) => (count === 0 ? [] : [`${count} ${what}`]));
  return parts.length === 0 ? "the raw names are valid, too" : `raw names: ${parts.join(", ")}`;
}

function showSome(
  name: string,
  problems: readonly Pick<CatalogProblem, "severity" | "message" | "fix" | "tools">[],
): readonly Check[] {
  const grave = problems.filter(({ severity }) => severity !== "info");
  const shown = grave.slice(0, MAX_SHOWN).map(({ severity, message, fix, tools: [tool = name] }) => ({
    group: "Names" as const,
    name: tool,
    status: severity === "error" ? ("error" as const) : ("warning" as const),
    message,
    fix,
  }));
  const more = grave.slice(MAX_SHOWN);
  if (more.length === 0) return shown;
  const status = more.some(({ severity }) => severity === "error") ? "error" : "warning";
  const message = `${more.length} more like these.`;
  return [...shown, { group: "Names", name, status, message, fix: "onym names --live lists all." }];
}
