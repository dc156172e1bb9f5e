// What clients do to names beyond prefix and cut, and that names stay apart through it: squeezed underscores, hyphens taken
// for underscores, folded case, punycode, and names that a client keeps for itself (NAME-4) (RULE-5) (RULE-8).

import {
  buildSnapshot,
  EMPTY_LOCK,
  findProfile,
  listProfiles,
  NAMING_STYLES,
  type Profile,
  sentName,
  type ToolSource,
} from "@onym/core";
import fc from "fast-check";
import { describe, it } from "vitest";
import { lawRuns } from "./law-runs.js";
import { sources } from "./nasty.js";

/** One text for all names that a client with the trait takes for one; written out, not read from what it checks. */
const TRAITS: Readonly<Record<string, { profiles: readonly string[]; same: (name: string) => string }>> = {
  "squeezes underscores": {
    profiles: ["kimi-cli", "universal", "generic-safe"],
    same: (name) => name.replace(/_+/g, "_"),
  },
  "takes hyphens for underscores": {
    profiles: [
      "strands",
      "python-sdk-default",
      "roo-code",
      "openai-agents-js",
      "hermes-agent",
      "universal",
      "generic-safe",
    ],
    same: (name) => name.replaceAll("-", "_"),
  },
  "folds case": {
    profiles: ["qwen-code", "crewai", "openclaw", "universal", "generic-safe"],
    same: (name) => name.toLowerCase(),
  },
  "writes punycode": { profiles: ["copilot-cli", "universal", "generic-safe"], same: (name) => name },
};

const PROTOTYPE = ["constructor", "__proto__", "toString", "valueOf", "hasOwnProperty"];

/** Names that must not be given out where they are: of every object in JavaScript, and of built-in tools. */
const KEPT: Readonly<Record<string, readonly string[]>> = {
  "qwen-code": PROTOTYPE,
  "vercel-ai-sdk": PROTOTYPE,
  "google-genai-sdk": PROTOTYPE,
  genkit: PROTOTYPE,
  voltagent: ["__proto__"],
  beeai: ["final_answer"],
  "hermes-agent": ["list_resources", "read_resource", "list_prompts", "get_prompt"],
  continue: ["Read", "Write", "Fetch"],
  zed: ["grep", "read_file", "terminal"],
  "hf-mcp-client": ["task_complete", "ask_question"],
  universal: ["constructor", "task_complete", "ask_question"],
};

const style = fc.option(fc.constantFrom(...NAMING_STYLES), { nil: undefined });
/** Servers that are there from the start, and servers that join when names are on record. */
const history = fc.record({ first: sources, later: sources, style });

/** The names of a profile before and after servers joined: without a lock, and with the one that was written before. */
function* tablesOf(
  {
    first,
    later,
    style,
  }: { first: readonly ToolSource[]; later: readonly ToolSource[]; style?: string | undefined },
  profile: Profile,
): Iterable<readonly string[]> {
  const options = style === undefined ? {} : { style: style as never };
  const start = buildSnapshot(first);
  yield start.namesFor(profile, options).tools.map(({ name }) => name);
  const all = [...first, ...later];
  const lock = style === undefined ? start.nextLock([profile]) : EMPTY_LOCK;
  yield buildSnapshot(all, { lock })
    .namesFor(profile, options)
    .tools.map(({ name }) => name);
}

describe("the traits of clients", () => {
  it.each(Object.entries(TRAITS))("a client that %s tells all names apart (NAME-4) (RULE-5)", (_, trait) => {
    fc.assert(
      fc.property(history, fc.constantFrom(...trait.profiles.map(profileOf)), (history, profile) => {
        for (const names of tablesOf(history, profile)) {
          const texts = names.map((name) => sentName(trait.same(name), profile, "onym"));
          hold(
            new Set(texts).size === names.length,
            `two of ${JSON.stringify(names)} are one in ${profile.id}`,
          );
        }
      }),
      lawRuns("trait"),
    );
  });

  it("universal names stay apart in every client known, whatever it does to them (NAME-4) (RULE-5)", () => {
    const folds = Object.values(TRAITS).map(({ same }) => same);
    fc.assert(
      fc.property(history, fc.constantFrom(...listProfiles()), (history, profile) => {
        for (const names of tablesOf(history, profileOf("universal"))) {
          const texts = names.map((name) =>
            sentName(
              folds.reduce((text, same) => same(text), name),
              profile,
              "onym",
            ),
          );
          hold(
            new Set(texts).size === names.length,
            `two of ${JSON.stringify(names)} are one in ${profile.id}`,
          );
        }
      }),
      lawRuns("trait"),
    );
  });

  it("no tool is given a name that the client keeps for itself (RULE-8)", () => {
    const kept = fc.constantFrom(...Object.keys(KEPT));
    fc.assert(
      fc.property(kept, fc.nat(), history, (id, at, history) => {
        const wanted = KEPT[id]?.[at % (KEPT[id]?.length ?? 1)] ?? "";
        // The style `bare` wishes for the very name.
        const first: ToolSource[] = [{ server: "own", tools: [wanted] }, ...history.first];
        for (const names of tablesOf({ ...history, first, style: "bare" }, profileOf(id)))
          hold(!names.some((name) => KEPT[id]?.includes(name)), `${wanted} is given out in ${id}`);
      }),
      lawRuns("trait"),
    );
  });
});

function profileOf(id: string): Profile {
  const profile = findProfile(id);
  if (profile === undefined) throw new Error(`there is no profile ${id}`);
  return profile;
}

function hold(isSo: boolean, message: string): void {
  if (!isSo) throw new Error(message);
}
