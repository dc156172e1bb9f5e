// What profiles say of clients, held against clients that were run: every name that reached a provider, every tool that
// was lost, and how the client announced itself (RULE-6).

import { createHash } from "node:crypto";
import { checkName, findProfile, type Profile, sentName } from "@onym/core";
import { detectProfile } from "@onym/core/profiles";
import { describe, expect, it } from "vitest";
import { listFiles, readProjectFile } from "./project-files.js";

/** One run of a client against servers whose tools are known by a marker in their description, never by their name. */
interface ClientRun {
  readonly client: string;
  readonly version: string;
  readonly date: string;
  readonly announces: { readonly name: string; readonly version: string };
  /** The profile that stands for the client. */
  readonly profile: string;
  readonly builtIn: readonly string[];
  /** In the order in which the servers list them. */
  readonly names: readonly RecordedName[];
}

interface RecordedName {
  /** The name under which the server was registered in the client. */
  readonly server: string;
  readonly raw: string;
  /** What reached the provider; a namespace and the name in it are joined by `|`. Absent: the tool was lost. */
  readonly sent?: string;
  readonly lost?: true;
  /** `false`: a call by that name reached another tool, or none. */
  readonly reached?: false;
}

const runs: readonly ClientRun[] = [
  ...JSON.parse(readProjectFile("test/data/client-runs.json")),
  ...listFiles("rules/results", ".json")
    .map((path) => JSON.parse(readProjectFile(path)).direct)
    // A library that ends before its first request sends nothing.
    .filter((run: ClientRun) => run.names.some(({ sent }) => sent !== undefined)),
];

/** What becomes of tools that a client sends under one name; by default all are sent. In the order of the list. */
type Clash = (group: readonly Sending[], all: readonly Sending[]) => void;

interface Sending extends RecordedName {
  /** As simulated; `undefined` where the client drops the tool. */
  text: string | undefined;
  /** Before it was cut. */
  readonly whole: string;
}

const keepFirst: Clash = (group) => {
  for (const each of group.slice(1)) each.text = undefined;
};
const keepLast: Clash = (group) => keepFirst([...group].reverse(), []);

const CLASHES: Readonly<Record<string, Clash>> = {
  "claude-code": keepFirst,
  "kimi-cli": keepFirst,
  opencode: keepLast,
  "kilo-code": keepLast,
  "gemini-cli": keepLast,
  "vercel-ai-sdk": keepLast,
  // Every one of them gets a digest of server and tool.
  codex(group) {
    for (const each of group) {
      const identity = [each.server, each.server, "", each.raw, each.raw].join("\0");
      each.text += `_${createHash("sha1").update(identity).digest("hex").slice(0, 12)}`;
    }
  },
  // Of names that are the same before the cut the last in order stays; of those that the cut makes one, the second ends in 2.
  "copilot-cli"(group) {
    const order = [...group].sort((a, b) => (a.raw < b.raw ? -1 : 1));
    keepLast(
      order.filter(({ whole }) => whole === order[0]?.whole),
      [],
    );
    for (const [at, each] of group.entries())
      if (at > 0 && each.whole !== group[0]?.whole) each.text = `${each.text?.slice(0, -1)}${at + 1}`;
  },
  "mcp-use"(group, all) {
    let number = 2;
    for (const each of group.slice(1)) {
      while (all.some(({ text }) => text === `${each.raw}_${number}`)) number++;
      each.text = `${each.raw}_${number}`;
    }
  },
};

/** Clients that drop what is longer than they take, and those that lose a whole server for one name. */
const DROPS_LONG = new Set(["claude-code"]);
const ENDS_SERVER = new Set(["qwen-code"]);
const LOSES_PROTO = new Set(["vercel-ai-sdk", "voltagent"]);

function simulateClient(run: ClientRun, profile: Profile): readonly Sending[] {
  const uncut: Profile = { ...profile, client: { ...profile.client, cutAt: Number.MAX_SAFE_INTEGER } };
  const all: Sending[] = run.names.map((name) => ({
    ...name,
    text: sentName(name.raw, profile, name.server),
    whole: sentName(name.raw, uncut, name.server),
  }));
  for (const each of all) {
    const codes = checkName(each.raw, profile, { as: each.server }).map(({ code }) => code);
    if (DROPS_LONG.has(profile.id) && codes.includes("sent-too-long")) each.text = undefined;
    if (LOSES_PROTO.has(profile.id) && each.raw === "__proto__") each.text = undefined;
    if (ENDS_SERVER.has(profile.id) && codes.includes("reserved"))
      for (const other of all) if (other.server === each.server) other.text = undefined;
  }
  const groups = new Map<string, Sending[]>();
  for (const each of all)
    if (each.text !== undefined) groups.set(each.text, [...(groups.get(each.text) ?? []), each]);
  for (const group of groups.values()) if (group.length > 1) CLASHES[profile.id]?.(group, all);
  return all;
}

describe.each(runs)("$client $version, $names.length tools", (run) => {
  const profile = findProfile(run.profile);
  if (profile === undefined) throw new Error(`there is no profile ${run.profile}`);
  const all = simulateClient(run, profile);

  it("sends each tool by the name that its profile foresees, and loses the same tools (RULE-6)", () => {
    const seen = run.names.map(({ server, raw, sent }) => [server, raw, sent?.replace("|", "__")]);
    expect(all.map(({ server, raw, text }) => [server, raw, text])).toEqual(seen);
  });

  it("is recognised by what it announces (RULE-6)", () => {
    // One that announces the alias, or what its app says, is nobody's name; it must not be taken for another client.
    const isNamed = profile.clientInfoNames.some((name) => !name.startsWith("{"));
    expect(detectProfile({ clientInfo: run.announces })).toMatchObject(
      isNamed
        ? { profile: { id: run.profile }, confidence: "exact" }
        : { profile: { id: "universal" }, confidence: "none" },
    );
  });

  it("has a row that says so, with the release and the date (RULE-6)", () => {
    expect(profile).toMatchObject({ confidence: "observed" });
    expect(profile.version).toMatch(/^\d+\.\d+\.\d+/);
    expect(profile.asOf >= "2026-11-16").toBe(true);
  });

  it("has its built-in tools reserved where a name that was given out could be one of them (RULE-8)", () => {
    const { prefix, suffix, countsOnly } = profile.client;
    if (`${prefix}${suffix}` !== "" && countsOnly !== true) return;
    const given = run.builtIn.filter((name) => /^[A-Za-z0-9_-]+$/.test(name));
    for (const name of given) expect(checkName(name, profile).map(({ code }) => code)).toContain("reserved");
  });

  it("calls one tool of those that it sends by one name, and each that is sent by its own (RULE-6)", () => {
    const reached = new Map<string, number>();
    for (const { text, reached: is } of all)
      if (text !== undefined) reached.set(text, (reached.get(text) ?? 0) + (is === false ? 0 : 1));
    const missed = [...reached].filter(([, count]) => count !== 1).map(([text]) => text);
    // A built-in tool is called in its place, or a bridge that folds case calls the other.
    const excused = run.profile === "qwen-code" ? ["mcp__web-docs__fetch"] : run.builtIn;
    expect(missed.filter((text) => !excused.includes(text))).toEqual([]);
  });
});

describe("what is told of the runs", () => {
  it("is what rules/report.mjs writes from the records (RULE-6)", async () => {
    const { formatReports } = await import(new URL("../rules/report.mjs", import.meta.url).href);
    const { page, readme } = formatReports();
    expect(readProjectFile("docs/client-runs.md")).toBe(page);
    expect(readProjectFile("README.md")).toBe(readme);
  });

  it("has every client right with Onym, under the detected profile and its own (RULE-6)", () => {
    const records = listFiles("rules/results", ".json").map((path) => JSON.parse(readProjectFile(path)));
    expect(records.length).toBeGreaterThanOrEqual(20);
    for (const { client, through } of records)
      for (const [setting, { outcome, unforeseen }] of Object.entries<Through>(through))
        expect([client, setting, outcome, unforeseen]).toEqual([client, setting, "all tools right", []]);
  });
});

interface Through {
  readonly outcome: string;
  readonly unforeseen: readonly string[];
}
