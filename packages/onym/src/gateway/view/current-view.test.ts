import { EMPTY_LOCK, findProfile, type Lock, type Profile, type ToolKey } from "@onym/core";
import { toolKeyOf } from "@onym/core/identity";
import { describe, expect, it } from "vitest";
import type { Downstream } from "../../downstream/downstream.js";
import { OPEN_GUARD } from "../calls/guard.js";
import { createMemoryKeeper } from "../catalog/name-lock.js";
import { buildInventory, createMemoryDownstream, toolsNamed } from "../testing/memory-downstream.js";
import { buildCaller, buildSettings, profileNamed, serverOf } from "../testing/test-callers.js";
import { createViewMaker } from "./create-view-maker.js";
import { CurrentView } from "./current-view.js";

const MANY = 1_500;
const CHOICE = { profile: findProfile("openai") as Profile, as: undefined };

/** A static server with many tools, of which two fold onto one name: who has it depends on what is on record. */
function stage() {
  let tools: readonly string[] = [];
  let told = 0;
  const keeper = createMemoryKeeper(EMPTY_LOCK);
  const settings = () =>
    buildSettings({
      servers: [{ source: { server: "s", tools }, launch: { kind: "static" }, admits: () => true }],
    });
  const downstream = { id: { server: "s", toolbox: undefined }, launch: { kind: "static" } } as Downstream;
  const maker = createViewMaker({
    settings,
    guard: () => OPEN_GUARD,
    downstreams: () => [downstream],
    isClosed: () => false,
    logProblems: () => {
      told += 1;
    },
    locks: { tools: keeper, prompts: createMemoryKeeper(EMPTY_LOCK) },
    today: () => "2026-11-17",
  });
  const offer = (...more: readonly string[]): void => {
    tools = [...Array.from({ length: MANY }, (_, index) => `tool_${index}`), ...more];
  };
  offer("get x");
  return { maker, keeper, offer, told: () => told };
}

const nameOf = (view: ReturnType<ReturnType<typeof stage>["maker"]["makeNow"]> | undefined, raw: string) =>
  view?.snapshot.tableOf(CHOICE).tools.find(({ tool }) => tool.raw === raw)?.name;

describe("a view that is made in steps (SAFE-4)", () => {
  it("is the one that is made at once", () => {
    const { maker } = stage();
    const made = maker.begin();
    const steps = maker.steps(made);
    let turns = 0;
    let step = steps.next();
    for (; step.done !== true; step = steps.next()) turns += 1;
    expect(turns).toBeGreaterThan(10);
    expect(maker.end(made)).toBe("good");
    const names = (view: typeof step.value) =>
      view?.snapshot.tableOf(CHOICE).tools.map(({ name, tool }) => [name, tool.key]);
    expect(names(step.value)).toEqual(names(maker.makeNow()));
  });

  it("is made again when names went on record meanwhile: none of them passes to another tool (NAME-4, LOCK-1)", async () => {
    const { maker, offer } = stage();
    const inForce = maker.makeNow();
    // In the next view, another tool would have the name that nobody was given yet.
    offer("get x", "get_x");
    const made = maker.begin();
    const steps = maker.steps(made);
    for (let taken = 0; taken < 5; taken += 1) steps.next();
    await inForce.snapshot.recording.recordTools(CHOICE);
    expect(nameOf(inForce, "get x")).toBe("s_get_x");
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value).toBeUndefined();
    expect(maker.end(made)).toBe("outdated");
    const next = maker.makeNow();
    expect(nameOf(next, "get x")).toBe("s_get_x");
    expect(nameOf(next, "get_x")).toBe("s_get_x_2");
  });

  it("records none of its names once it is outdated (NAME-4, LOCK-1)", async () => {
    const { maker, offer, keeper } = stage();
    const inForce = maker.makeNow();
    offer("get x", "get_x");
    const made = maker.begin();
    const steps = maker.steps(made);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    await inForce.snapshot.recording.recordTools(CHOICE);
    await step.value?.snapshot.recording.recordTools(CHOICE);
    const owner = keeper.current().profiles.get("openai")?.names.get("s_get_x")?.key;
    expect(owner).toBe('["namespaced","s","get x"]');
    expect(maker.end(made)).toBe("outdated");
  });

  it("is made at once after it was outdated three times: who brings ever new names keeps it from nobody (SAFE-5)", () => {
    const { maker } = stage();
    for (let times = 0; times < 3; times += 1) {
      expect(maker.maySlice()).toBe(true);
      const made = maker.begin();
      made.isOutdated = true;
      expect(maker.end(made)).toBe("outdated");
    }
    expect(maker.maySlice()).toBe(false);
    maker.makeNow();
    expect(maker.maySlice()).toBe(true);
  });

  it("is given up, untold, where settings came into force meanwhile (CFG-5)", () => {
    const { maker, told } = stage();
    const made = maker.begin();
    const steps = maker.steps(made);
    steps.next();
    maker.makeNow();
    const before = told();
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value).toBeUndefined();
    expect(told()).toBe(before);
    expect(maker.end(made)).toBe("overtaken");
  });
});

const lockOf = (count: number): Lock => ({
  ...EMPTY_LOCK,
  tools: new Map(
    Array.from(
      { length: count },
      (_, n): [ToolKey, Lock["tools"] extends ReadonlyMap<ToolKey, infer T> ? T : never] => [
        toolKeyOf({ server: "gone", raw: `tool_${n}` }),
        { canonical: `gone@1/tool_${n}@1`, digest: "" },
      ],
    ),
  ),
});

it.each([
  [999, true],
  [1_000, false],
])(
  "is made again at once or in slices by what is on record, too: %i tools (SAFE-4)",
  async (count, isAtOnce) => {
    const fs = createMemoryDownstream({ tools: toolsNamed("a") });
    const current = new CurrentView(buildSettings({ servers: [serverOf(fs)] }), OPEN_GUARD, {
      locks: { tools: createMemoryKeeper(lockOf(count)), prompts: createMemoryKeeper(EMPTY_LOCK) },
      downstreams: () => [fs],
      callers: () => [],
      onSwap: () => {},
      today: () => "2026-11-17",
      logProblems: () => {},
      log: () => {},
    });
    current.start();
    const first = current.inForce;
    fs.inventory = createMemoryDownstream({ tools: toolsNamed("a", "b") }).inventory;
    current.refresh();
    expect(current.bringUpToDate() !== first).toBe(isAtOnce);
    await current.prepared();
    expect(current.inForce.snapshot.tools.catalog.tools.map(({ raw }) => raw)).toEqual(["a", "b"]);
  },
);

/** A view of many tools whose server changes a prompt, with time that a test passes. */
function stageMany() {
  let now = 0;
  let due: { readonly at: number; readonly call: () => void } | undefined;
  let version = 0;
  const tools = toolsNamed(...Array.from({ length: MANY }, (_, n) => `tool_${n}`));
  const inventory = () => buildInventory({ tools, prompts: [{ name: `p${version}` }] });
  const fs = createMemoryDownstream({ tools });
  fs.inventory = inventory();
  let swapped = (): void => {};
  const current = new CurrentView(buildSettings({ servers: [serverOf(fs)] }), OPEN_GUARD, {
    locks: { tools: createMemoryKeeper(EMPTY_LOCK), prompts: createMemoryKeeper(EMPTY_LOCK) },
    downstreams: () => [fs],
    callers: () => [],
    onSwap: () => swapped(),
    today: () => "2026-11-17",
    logProblems: () => {},
    log: () => {},
    clock: {
      now: () => now,
      after(ms, call) {
        due = { at: now + ms, call };
        return () => {
          due = undefined;
        };
      },
    },
  });
  current.start();
  return {
    current,
    version: () => version,
    shown: () => current.inForce.snapshot.prompts.catalog.tools.map(({ raw }) => raw),
    change(): void {
      version += 1;
      fs.inventory = inventory();
      current.refreshList();
    },
    swap: () =>
      new Promise<void>((resolve) => {
        swapped = resolve;
      }),
    dueIn: () => (due === undefined ? undefined : due.at - now),
    pass(ms: number): void {
      now += ms;
      const { at, call } = due ?? {};
      if (call === undefined || at === undefined || at > now) return;
      due = undefined;
      call();
    },
  };
}

it("waits for the names of every caller, but of none for many (SAFE-5)", async () => {
  const keeper = createMemoryKeeper(EMPTY_LOCK);
  const fs = createMemoryDownstream({ tools: toolsNamed("a") });
  const callers = ["1", "2", "3", "4", "5", "5", "6"].map((as) => buildCaller({ callerKey: "flood", as }));
  const other = buildCaller({ callerKey: "other", profile: profileNamed("canonical") });
  const current = new CurrentView(buildSettings({ servers: [serverOf(fs)] }), OPEN_GUARD, {
    locks: { tools: keeper, prompts: createMemoryKeeper(EMPTY_LOCK) },
    downstreams: () => [fs],
    callers: () => [...callers, other],
    onSwap: () => {},
    today: () => "2026-11-17",
    logProblems: () => {},
    log: () => {},
  });
  current.start();
  fs.inventory = buildInventory({
    tools: toolsNamed(...Array.from({ length: MANY }, (_, n) => `tool_${n}`)),
  });
  await current.renew();
  const recorded = [...keeper.current().profiles.keys()].filter((key) => !/^(openai|cursor)/.test(key));
  expect(recorded).toHaveLength(5);
  expect(recorded).toContain("canonical");
});

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a server that changes its lists again and again (SAFE-5)", () => {
  it("keeps nobody waiting: what is known when a request comes is in force, later changes are not waited for", async () => {
    const { current, change, version, shown } = stageMany();
    let isOver = false;
    const flap = (): void => {
      if (isOver) return;
      change();
      setImmediate(flap);
    };
    flap();
    await turn();
    // As when another server has come up.
    current.refresh();
    const known = version();
    await current.prepared();
    const [inForce = ""] = shown();
    expect(Number(inForce.slice(1))).toBeGreaterThanOrEqual(known);
    isOver = true;
  });

  it("is not waited for at all", async () => {
    const { current, change, shown, swap } = stageMany();
    const next = swap();
    change();
    await current.prepared();
    expect(shown()).toEqual(["p0"]);
    await next;
    expect(shown()).toEqual(["p1"]);
  });

  it("has a view finished that is outdated by then, and the next after as long as that took; nothing is lost", async () => {
    const { change, shown, swap, pass, dueIn } = stageMany();
    const first = swap();
    change();
    await turn();
    pass(700);
    change();
    change();
    await first;
    expect(shown()).toEqual(["p1"]);
    await turn();
    expect(dueIn()).toBe(700);
    for (let turns = 0; turns < 100; turns += 1) await turn();
    expect(shown()).toEqual(["p1"]);
    const second = swap();
    pass(699);
    expect(dueIn()).toBe(1);
    pass(1);
    await second;
    expect(shown()).toEqual(["p3"]);
  });

  it("delays no change that requests wait for", async () => {
    const { current, change, shown, swap, pass } = stageMany();
    const first = swap();
    change();
    await turn();
    pass(700);
    await first;
    await turn();
    change();
    current.refresh();
    await current.prepared();
    expect(shown()).toEqual(["p2"]);
  });
});
