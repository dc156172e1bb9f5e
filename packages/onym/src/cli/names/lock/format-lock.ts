// onym lock in words: what was compared with what, and what came of it (LOCK-6).

import { EMPTY_LOCK, type Lock, type LockDiff } from "@onym/core";
import type { Config, ConfigServer } from "../../../config/config.js";
import { showPath } from "../../../model/show-path.js";
import { showNote } from "../../../output/show-note.js";
import type { Terminal } from "../../../output/terminal.js";
import { countNoun, nameServer, shellWord } from "../../../output/wording.js";
import type { LiveOptions, OpenedConfig } from "../../catalog/open-live.js";
import { formatDiff, formatOtherChanges, type OtherChange } from "./format-diff.js";

export interface LockOptions extends LiveOptions {
  readonly file?: string;
  readonly check?: boolean;
  readonly profile?: readonly string[];
  readonly as?: string;
  readonly json?: boolean;
}

/** How much of what the config starts or connects to was asked for its tools. */
export interface Coverage {
  readonly kind: "all" | "some" | "none";
  readonly unasked: readonly ConfigServer[];
}

export function coverageOf({ config, unasked }: OpenedConfig): Coverage {
  const isKnown = config.servers.some((server) => server.isStatic && !unasked.has(server));
  const kind = unasked.size === 0 ? "all" : isKnown ? "some" : "none";
  return { kind, unasked: [...unasked] };
}

export function reportCoverage({ unasked }: Coverage) {
  if (unasked.length === 0) return {};
  return { unasked: unasked.map(({ source: { server, toolbox } }) => ({ server, toolbox })) };
}

/** Which servers were not asked is printed in the words of this command. */
export function withoutUnasked(opened: OpenedConfig): OpenedConfig {
  const left = opened.left.filter(({ code }) => code !== "not-static" && code !== "on-record");
  const origin = opened.origin?.from === "gateway" ? opened.origin : undefined;
  return { ...opened, left, origin };
}

export function noteUnasked({ unasked }: Coverage, terminal: Terminal): void {
  if (unasked.length === 0) return;
  const names = unasked.map(({ source }) => nameServer(source)).join(", ");
  const [were, their] =
    unasked.length === 1
      ? ["server was not asked what it lists now", "Its names"]
      : ["servers were not asked what they list now", "Their names"];
  const how = "To ask, add --live, or run this while onym serve runs with this config.";
  showNote(`${unasked.length} ${were}: ${names}. ${their} stay as they are on record. ${how}`, terminal);
}

export interface ShownLock {
  /** `incomplete`: a server that was asked did not answer, and nothing else differs. */
  readonly status: "written" | "in-step" | "drift" | "unasked" | "incomplete";
  /** As it is shown. */
  readonly file: string;
  readonly config: Config;
  readonly diff: LockDiff;
  readonly other: readonly OtherChange[];
  readonly before: Lock | undefined;
  readonly after: Lock;
  readonly coverage: Coverage;
  readonly options: LockOptions;
}

export async function showLock(shown: ShownLock, terminal: Terminal): Promise<void> {
  const { status, diff, other, before, after, coverage, options } = shown;
  const isQuiet = options.quiet === true;
  const isListed = status === "drift" || (status === "written" && before !== undefined);
  if (status === "drift" || !isQuiet) {
    const lines = isListed
      ? [...formatDiff({ before: before ?? EMPTY_LOCK, after, diff }, terminal), ...formatOtherChanges(other)]
      : [];
    await terminal.out(`${[headOf(shown, terminal), ...lines].join("\n")}\n`);
  }
  if (status === "drift") terminal.err(`Run ${sameCommand(options)} to record the names as they are now.\n`);
  // A check that asked nobody is no check, and says so even where nothing else would be said.
  if (!isQuiet || (options.check === true && coverage.kind === "none")) noteUnasked(coverage, terminal);
}

function headOf(
  { status, file, config, diff, before, after, coverage, options }: ShownLock,
  { paint, cwd }: Terminal,
): string {
  const yes = paint("green", "✓");
  const kept = `${countNoun(diff.kept, "name")} kept`;
  switch (status) {
    case "in-step":
      return coverage.kind === "all"
        ? `${yes} ${file} is in step: ${kept}.`
        : `${yes} As far as was asked, ${file} is in step: ${kept}.`;
    case "incomplete":
      return `${paint("red", "✗")} ${file} was compared in part only, because not every server answered: ${kept}.`;
    case "unasked": {
      const names = `${countNoun(diff.kept, "name")} on record`;
      if (options.check !== true) return `${file} was left as it is: ${names}, and no server was asked.`;
      const own = showPath(config.file, cwd);
      return `${file} was compared with ${own} alone, and no server was asked: ${names}.`;
    }
    case "written": {
      if (before !== undefined) return `${yes} ${file} written.`;
      const names = [countNoun(diff.added.length, "name"), countNoun(countTools(after), "tool")].join(" of ");
      return `${yes} ${file} written: ${names} in ${countNoun(after.profiles.size, "profile")}.`;
    }
    case "drift":
      return `${paint("red", "✗")} ${file} ${before === undefined ? "does not exist yet" : "is out of step"}.`;
  }
}

/** By identity: a tool may have a name in each profile. */
function countTools({ profiles }: Lock): number {
  const keys = new Set<string>();
  for (const { names } of profiles.values())
    for (const { key, retired } of names.values()) if (retired === undefined) keys.add(key);
  return keys.size;
}

/** The command that was given, without --check. */
function sameCommand({ config, file, profile, as, live, static: isStatic }: LockOptions): string {
  const flags = [
    ["--config", config],
    ["--file", file],
    ["--profile", profile?.join(",")],
    ["--as", as],
  ].flatMap(([flag = "", value]) => (value === undefined ? [] : [flag, shellWord(value)]));
  return [
    "onym lock",
    ...(live === true ? ["--live"] : []),
    ...(isStatic === true ? ["--static"] : []),
    ...flags,
  ].join(" ");
}
