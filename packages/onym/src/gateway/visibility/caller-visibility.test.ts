import { describe, expect, it } from "vitest";
import { buildPolicy } from "../../policy/build-policy.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildSession, profileNamed, snapshotOf } from "../testing/test-callers.js";
import { createCallerVisibility } from "./caller-visibility.js";

const snapshot = snapshotOf({
  downstreams: [
    createMemoryDownstream({ tools: toolsNamed("build") }, { server: "ci", toolbox: "dev" }),
    createMemoryDownstream({ tools: toolsNamed("restart") }, { server: "host", toolbox: "ops" }),
  ],
});
const visibility = createCallerVisibility({
  policy: buildPolicy({ default: "allow", rules: [] }),
});

function seenBy(caller: ReturnType<typeof buildCaller>): readonly string[] {
  const { sees = () => true } = visibility(snapshot, caller) ?? {};
  return snapshot.tools.catalog.tools.filter(sees).map(({ key }) => key);
}

describe("callers with one name", () => {
  it("see what each is confined to, and have lists of their own (POL-1)", () => {
    const all = seenBy(buildCaller());
    expect(all).toHaveLength(2);
    const dev = buildCaller({ confinedTo: ["dev"] });
    const ops = buildCaller({ confinedTo: ["ops"] });
    expect([seenBy(dev), seenBy(ops)]).toEqual([
      [expect.stringContaining("build")],
      [expect.stringContaining("restart")],
    ]);
    expect(visibility(snapshot, dev)?.key).not.toBe(visibility(snapshot, ops)?.key);
    expect(seenBy(buildCaller())).toEqual(all);
  });

  it("and one confinement share what was worked out, but for the names of their clients", () => {
    const dev = visibility(snapshot, buildCaller({ confinedTo: ["dev"] }));
    expect(visibility(snapshot, buildSession({ confinedTo: ["dev"] }))).toBe(dev);
    const other = visibility(
      snapshot,
      buildCaller({ confinedTo: ["dev"], profile: profileNamed("claude-code") }),
    );
    expect(other).not.toBe(dev);
    expect(other?.key).toBe(dev?.key);
  });
});

it("keeps what a thousand callers see, and works it out anew for those before (SAFE-5)", () => {
  const see = (n: number) =>
    visibility(snapshot, buildCaller({ principal: `caller ${n}`, confinedTo: ["dev"] }));
  const first = see(0);
  for (let n = 1; n < 1_000; n++) see(n);
  expect(see(0)).toBe(first);
  see(1_000);
  expect(see(0)).not.toBe(first);
  expect(see(0)?.key).toBe(first?.key);
});

describe("what a caller is suggested from many tools (SAFE-4)", () => {
  const many = (count: number) =>
    snapshotOf({
      downstreams: [
        createMemoryDownstream(
          { tools: toolsNamed(...Array.from({ length: count }, (_, n) => `read_${n}`)) },
          { server: "fs", toolbox: "dev" },
        ),
        createMemoryDownstream({ tools: toolsNamed("restart") }, { server: "host", toolbox: "ops" }),
      ],
    });

  it("is prepared in slices, once, and the same as without", async () => {
    const large = many(1_000);
    const caller = buildCaller({ confinedTo: ["dev"] });
    const suggest = (seen: ReturnType<typeof visibility>) => seen?.resolve("raed_7").resolution;
    const plain = suggest(
      createCallerVisibility({ policy: buildPolicy({ default: "allow", rules: [] }) })(large, caller),
    );
    const seen = visibility(large, caller);
    const preparing = seen?.prepareSuggestions();
    expect(preparing).toBeInstanceOf(Promise);
    expect(seen?.prepareSuggestions()).toBe(preparing);
    await preparing;
    expect(seen?.prepareSuggestions()).toBeUndefined();
    expect(suggest(seen)).toEqual(plain);
    expect(visibility(many(999), caller)?.prepareSuggestions()).toBeUndefined();
  });
});
