import { describe, expect, it } from "vitest";
import type { ToolSource } from "../catalog/source.js";
import { toolKeyOf } from "../identity/tool-key.js";
import type { Lock } from "../naming/lock/lock.js";
import { buildSnapshot, type Snapshot, type SnapshotOptions } from "../snapshot/build-snapshot.js";
import type { Resolution } from "./resolution.js";

const docs: readonly ToolSource[] = [{ server: "docs", tools: ["read", "search"] }];

/** `step text outcome`, but for those that had no match with the text as it came. */
const stepsOf = ({ steps }: Resolution, text: string): readonly string[] =>
  steps
    .filter(({ tried, outcome }) => tried !== text || outcome !== "no match")
    .map(({ step, tried, outcome }) => `${step} ${tried} ${outcome}`);
const missedBy = ({ steps }: Resolution, text: string): readonly string[] =>
  steps.filter(({ tried, outcome }) => tried === text && outcome === "no match").map(({ step }) => step);

describe("the steps that are told of a resolution (RES-1)", () => {
  const before = buildSnapshot([...docs, { server: "gone", tools: ["tool"] }]);
  const lock = before.nextLock(["openai", "canonical"]);
  const snapshot = buildSnapshot(docs, { lock });

  it.each([
    ["docs_read", [], ["public docs_read matched"]],
    ["docs@1/read@1", ["public"], ["canonical docs@1/read@1 matched"]],
    ["gone_tool", ["public", "canonical"], ["alias gone_tool retired"]],
    ["gone/tool", ["public", "canonical"], ["alias gone/tool retired"]],
    ["docs.read", ["public", "canonical", "alias"], ["spelling docs.read matched"]],
    ["docs%2Fread", ["public", "canonical", "alias", "spelling"], ["transport docs/read matched"]],
    ["docs%5Fread", ["public", "canonical", "alias", "spelling"], ["transport docs_read matched"]],
    ["docs@v1/read", ["public", "canonical", "alias", "spelling"], ["version docs@1/read@1 matched"]],
    ["gone@v1/tool", ["public", "canonical", "alias", "spelling"], ["version gone@1/tool@1 retired"]],
    ["docs@V1/READ", ["public", "canonical", "alias", "spelling"], ["case docs@1/read@1 matched"]],
    [
      "DOCS%401~READ",
      ["public", "canonical", "alias", "spelling"],
      ["transport DOCS@1/READ no match", "version DOCS@1/READ@1 no match", "case docs@1/read@1 matched"],
    ],
    ["read", ["public", "canonical", "alias", "spelling"], ["context read matched"]],
  ])("%s: no match by %j, then %j", (text, missed, steps) => {
    const resolution = snapshot.resolve(text, { profile: "openai" });
    expect(missedBy(resolution, text)).toEqual(missed);
    expect(stepsOf(resolution, text)).toEqual(steps);
    expect("step" in resolution ? resolution.step : undefined).toBe(steps.at(-1)?.split(" ")[0]);
  });

  it("are all of them where nothing is found", () => {
    const unknown = (text: string): readonly string[] =>
      snapshot.resolve(text, { profile: "openai" }).steps.map(({ step, tried, outcome }) => {
        expect(outcome).toBe("no match");
        return `${step} ${tried}`;
      });
    expect(unknown("nothing")).toEqual([
      "public nothing",
      "canonical nothing",
      "alias nothing",
      "spelling nothing",
      "context nothing",
    ]);
    expect(unknown("no/thing").slice(4)).toEqual([
      "version no@1/thing@1",
      "case no@1/thing@1",
      "context no/thing",
    ]);
    expect(unknown("no%2FThing").slice(4)).toEqual([
      "transport no/Thing",
      "version no@1/Thing@1",
      "case no@1/thing@1",
      "context no%2FThing",
    ]);
    expect(Object.keys(snapshot.resolve("nothing", {}))).not.toContain("problem");
  });

  it("are one for the structured form, with suggestions for server and tool where there is none (BOX-6)", () => {
    const found = snapshot.resolve({ server: "docs", name: "read" }, { profile: "openai" });
    expect(found).toMatchObject({
      outcome: "resolved",
      step: "context",
      steps: [{ step: "context", tried: "read", outcome: "matched" }],
    });
    expect(snapshot.resolve({ server: "docs", name: "raed" }, { profile: "openai" })).toMatchObject({
      outcome: "unknown",
      suggestions: ["docs_read", "docs_search"],
      steps: [{ step: "context", tried: "raed", outcome: "no match" }],
    });
  });

  it("are those of the empty text for what is neither a text nor a structured name", () => {
    for (const input of [7, null, {}, { server: "docs" }, { name: "read" }]) {
      const { outcome, steps } = snapshot.resolve(input as never, { profile: "openai" });
      expect([outcome, new Set(steps.map(({ tried }) => tried))]).toEqual(["unknown", new Set([""])]);
    }
  });
});

describe("a name that a caller's own table has on record (RES-1) (NAME-4)", () => {
  const evil: ToolSource = { server: "evil", tools: ["mail@1/send@1"] };
  const mail: ToolSource = { server: "mail", tools: ["send"] };
  const options: SnapshotOptions = { style: "bare" };
  const lock = buildSnapshot([evil], options).nextLock(["canonical"]);
  const resolve = (snapshot: Snapshot, text: string) => snapshot.resolve(text, { profile: "canonical" });

  it("is nobody else's when its tool is gone, be it another's canonical name", () => {
    const snapshot = buildSnapshot([mail], { ...options, lock });
    expect(resolve(snapshot, "mail@1/send@1")).toMatchObject({
      outcome: "retired",
      step: "alias",
      canonical: "evil@1/mail@1/send@1@1",
    });
  });

  it("is ambiguous with another's canonical name while both are there", () => {
    const snapshot = buildSnapshot([evil, mail], { ...options, lock });
    const found = resolve(snapshot, "mail@1/send@1");
    expect(found).toMatchObject({ outcome: "ambiguous", step: "canonical" });
    expect(found.outcome === "ambiguous" && found.candidates.map(({ server }) => server)).toEqual([
      "evil",
      "mail",
    ]);
  });

  it("leads to its tool as a former name where it is the tool's own canonical name", () => {
    const names = new Map([["docs@1/read@1", { key: toolKeyOf({ server: "docs", raw: "read" }) }]]);
    const named: Lock = {
      profiles: new Map([["canonical", { style: "canonical", names }]]),
      tools: new Map(),
    };
    const pinned = buildSnapshot(docs, { lock: named, pins: { r: "docs@1/read@1" } });
    expect(resolve(pinned, "docs@1/read@1")).toMatchObject({
      outcome: "resolved",
      step: "alias",
      tool: { raw: "read" },
    });
  });
});

describe("a canonical name without its toolbox, of tools that are gone (CANON-7)", () => {
  const boxed = (toolbox: string, ...tools: readonly string[]): ToolSource => ({
    toolbox,
    server: "fs",
    tools,
  });
  const lock = buildSnapshot([boxed("dev", "read"), boxed("ops", "read")]).nextLock(["openai"]);
  const outcome = (sources: readonly ToolSource[], options: SnapshotOptions = {}): string => {
    const found = buildSnapshot(sources, { lock, ...options }).resolve("fs@1/read@1", { profile: "openai" });
    if (found.outcome === "resolved") return `${found.tool.canonical} ${found.warnings.length}`;
    return found.outcome;
  };
  const to = (toolbox: string) => ({ from: `${toolbox}:fs@1/read@1`, to: `${toolbox}:fs@1/get@1` });

  it.each<[string, readonly ToolSource[], SnapshotOptions, string]>([
    ["both are gone", [], {}, "retired"],
    ["one is there", [boxed("dev", "read"), boxed("ops")], {}, "retired"],
    [
      "both became others",
      [boxed("dev", "get"), boxed("ops", "get")],
      { renames: [to("dev"), to("ops")] },
      "ambiguous",
    ],
    ["the first became another", [boxed("dev", "get"), boxed("ops")], { renames: [to("dev")] }, "retired"],
    ["the second became another", [boxed("dev"), boxed("ops", "get")], { renames: [to("ops")] }, "retired"],
  ])("%s", (_, sources, options, expected) => {
    expect(outcome(sources, options)).toBe(expected);
  });

  it("is what the only one became, with a warning", () => {
    const one = buildSnapshot([boxed("dev", "read")]).nextLock(["openai"]);
    expect(outcome([boxed("dev", "get")], { lock: one, renames: [to("dev")] })).toBe("dev:fs@1/get@1 1");
  });
});
