import { describe, expect, it } from "vitest";
import { buildPolicy } from "../../policy/build-policy.js";
import { createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildSession, profileNamed, viewOf } from "../testing/test-callers.js";
import { createCallerSights } from "./caller-visibility.js";

const view = viewOf({
  downstreams: [
    createMemoryDownstream({ tools: toolsNamed("build") }, { server: "ci", toolbox: "dev" }),
    createMemoryDownstream({ tools: toolsNamed("restart") }, { server: "host", toolbox: "ops" }),
  ],
});
const sight = createCallerSights({ policy: buildPolicy({ default: "allow", rules: [] }), hidesNew: false });

function seenBy(caller: ReturnType<typeof buildCaller>): readonly string[] {
  const { sees = () => true } = sight(view, caller) ?? {};
  return view.tools.catalog.tools.filter(sees).map(({ key }) => key);
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
    expect(sight(view, dev)?.key).not.toBe(sight(view, ops)?.key);
    expect(seenBy(buildCaller())).toEqual(all);
  });

  it("and one confinement share what was worked out, but for the names of their clients", () => {
    const dev = sight(view, buildCaller({ confinedTo: ["dev"] }));
    expect(sight(view, buildSession({ confinedTo: ["dev"] }))).toBe(dev);
    const other = sight(view, buildCaller({ confinedTo: ["dev"], profile: profileNamed("claude-code") }));
    expect(other).not.toBe(dev);
    expect(other?.key).toBe(dev?.key);
  });
});
