import { escapeText } from "@onym/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { buildPolicy } from "../../policy/build-policy.js";
import { OPEN_GUARD } from "../calls/guard.js";
import type { View } from "../gateway-context.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, snapshotOf, viewOf } from "../testing/test-callers.js";
import { createCallerVisibility } from "../visibility/caller-visibility.js";
import { problemsFor } from "./list-problems.js";

afterEach(() => vi.restoreAllMocks());

const CONFINED = buildCaller({ confinedTo: ["dev"] });

/** The names are over the limit of 128 characters, and have one that is not allowed: two problems for each. */
function viewWith(names: readonly string[]): View {
  const dev = createMemoryDownstream({ tools: toolsNamed(...names) }, { server: "fs", toolbox: "dev" });
  const ops = createMemoryDownstream(
    { tools: toolsNamed("bad name", "ok") },
    { server: "host", toolbox: "ops" },
  );
  const policy = buildPolicy({ default: "allow", rules: [] });
  const guard = { ...OPEN_GUARD, visibility: createCallerVisibility({ policy }) };
  return { ...viewOf(snapshotOf({ downstreams: [dev, ops] })), guard };
}

const longNames = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, n) => `n${n}\u202E${"\u202E".repeat(130)}`);

interface Told {
  readonly count: number;
  readonly first: readonly { code: string; message: string; tools: readonly string[] }[];
}

const read = async (told: string | Promise<string>): Promise<Told> => JSON.parse(await told);

describe("the problems that a list tells of (NAME-8)", () => {
  it("are those of what a caller sees, and the first are shown, by code and text (GW-4) (GW-6)", async () => {
    const names = longNames(20);
    const view = viewWith(names);
    const all = await read(problemsFor(buildCaller(), view));
    const own = await read(problemsFor(CONFINED, view));
    const grave = view.snapshot.problems.filter(({ severity }) => severity !== "info");
    expect(all.count).toBe(grave.length);
    expect(own.count).toBe(grave.length - 1);
    const sorted = grave
      .filter(({ tools }) => tools.some((tool) => tool.startsWith("dev:")))
      .toSorted((a, b) => (a.code + a.message < b.code + b.message ? -1 : 1))
      .slice(0, 5);
    expect(own.first.map(({ message }) => message)).toEqual(sorted.map(({ message }) => message));
    expect(JSON.stringify(own)).not.toContain("host");
    expect((await read(problemsFor(CONFINED, viewWith(names.toReversed())))).first).toEqual(own.first);
  });

  it("name tools escaped, as all that a person reads (SAFE-1)", async () => {
    const { first } = await read(problemsFor(CONFINED, viewWith(longNames(1))));
    expect(first[0]?.tools).toEqual([escapeText(`dev:fs/${longNames(1)[0]}`)]);
  });

  it("are counted in slices where there are many, once for all callers of a kind (SAFE-4)", async () => {
    const view = viewWith(longNames(3_000));
    // On this clock every step fills a slice.
    let now = 0;
    vi.spyOn(performance, "now").mockImplementation(() => (now += 10));
    let turns = 0;
    let isCounting = true;
    const count = (): void => {
      turns += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const made = problemsFor(CONFINED, view);
    expect(made).toBeInstanceOf(Promise);
    expect(problemsFor(buildCaller({ confinedTo: ["dev"] }), view)).toBe(made);
    const told = await read(made);
    isCounting = false;
    expect(told.count).toBe(6_000);
    expect(turns).toBeGreaterThan(20);
    // A list that comes again does not wait.
    expect(problemsFor(CONFINED, view)).toBe(await made);
  });

  it("are nothing where there are none", () => {
    const only = createMemoryDownstream({ tools: toolsNamed("ok") });
    expect(problemsFor(buildCaller(), viewOf(snapshotOf({ downstreams: [only] })))).toBe("");
  });
});
