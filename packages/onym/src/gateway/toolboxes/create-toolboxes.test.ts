import { describe, expect, it } from "vitest";
import type { DownstreamStatus } from "../../downstream/downstream.js";
import { systemEdgeClock } from "../../model/clock.js";
import { createDownstreamSet } from "../downstream-set.js";
import {
  createMemoryDownstream,
  failedStatus,
  type MemoryDownstream,
  READY,
} from "../testing/memory-downstream.js";
import { buildSettings, serverOf } from "../testing/test-callers.js";
import { createToolboxes, type ToolboxPorts } from "./create-toolboxes.js";
import { QUICK_STARTS, START_INTERVAL_MS } from "./start-pace.js";

/** Toolboxes over a real set, whose downstreams come up when the test says so. */
function createBoxes(
  servers: readonly (readonly [toolbox: string, server: string])[],
  clock: ToolboxPorts["clock"] = systemEdgeClock,
) {
  const made: MemoryDownstream[] = [];
  const set = createDownstreamSet((id, launch) => {
    const downstream = createMemoryDownstream(undefined, {
      server: id.server,
      launch,
      ...(id.toolbox === undefined ? {} : { toolbox: id.toolbox }),
    });
    made.push(downstream);
    return downstream;
  });
  let settings = buildSettings({
    mode: "dynamic",
    toolboxes: [...new Set(servers.map(([id]) => id))].map((id) => ({ id, description: undefined })),
    servers: servers.map(([toolbox, server]) =>
      serverOf(createMemoryDownstream(undefined, { server, toolbox })),
    ),
  });
  const boxes = createToolboxes({
    settings: () => settings,
    connect: set.connect,
    disconnect: set.disconnect,
    clock,
  });
  set.adopt(settings, boxes.held());
  const come = (...statuses: readonly DownstreamStatus[]): void => {
    for (const [at, status] of statuses.entries()) made[at]?.come(status);
  };
  return {
    boxes,
    set,
    made,
    come,
    adopt(next: Partial<typeof settings>) {
      settings = { ...settings, ...next };
      boxes.adopt();
      set.adopt(settings, boxes.held());
    },
  };
}

describe("opening (GW-14)", () => {
  it("waits until the servers of the last opening have ended, however often it is closed (SAFE-5)", async () => {
    let end = (): void => {};
    let [started, isConnected] = [0, false];
    const boxes = createToolboxes({
      settings: () => ({ mode: "dynamic", toolboxes: [{ id: "dev", description: undefined }] }),
      connect: () => {
        [started, isConnected] = [started + 1, true];
        return [];
      },
      // At once where nothing was started.
      disconnect: async () => {
        if (!isConnected) return;
        isConnected = false;
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      },
    });
    await boxes.open("dev", "a");
    boxes.close("dev", "a");
    const left = [1, 2, 3].map(() => {
      const opening = boxes.open("dev", "a");
      boxes.close("dev", "a");
      return opening;
    });
    const last = boxes.open("dev", "a");
    await new Promise(setImmediate);
    expect(started).toBe(1);
    end();
    expect(await Promise.all(left)).toEqual(left.map(() => ({ outcome: "failed", failed: [] })));
    expect(await last).toMatchObject({ outcome: "opened" });
    expect([started, boxes.isOpen("dev")]).toEqual([2, true]);
  });

  it("starts nothing before, and connects once however often it is asked for", async () => {
    const { boxes, made, come } = createBoxes([["dev", "fs"]]);
    expect(made).toHaveLength(0);
    const opens = [boxes.open("dev", "a"), boxes.open("dev", "b"), boxes.open("dev", "a")];
    expect(boxes.isOpen("dev")).toBe(false);
    come(READY);
    expect(await Promise.all(opens)).toEqual(opens.map(() => ({ outcome: "opened", failed: [] })));
    expect(await boxes.open("dev", "a")).toMatchObject({ outcome: "opened" });
    expect(made).toHaveLength(1);
    expect(boxes.isOpen("dev")).toBe(true);
  });

  it("that fails leaves nothing running, for one or for many", async () => {
    const { boxes, made, set, come } = createBoxes([
      ["dev", "fs"],
      ["dev", "git"],
    ]);
    const opens = [boxes.open("dev", "a"), boxes.open("dev", "b")];
    come(failedStatus(1), failedStatus(1));
    for (const opening of await Promise.all(opens))
      expect(opening).toEqual({ outcome: "failed", failed: made });
    expect(made.map(({ closed }) => closed)).toEqual([1, 1]);
    expect(set.all()).toEqual([]);
    expect(boxes.isOpen("dev")).toBe(false);
    expect(boxes.held().size).toBe(0);
  });

  it("is a success where one server of several comes up", async () => {
    const { boxes, made, come } = createBoxes([
      ["dev", "fs"],
      ["dev", "git"],
    ]);
    const opening = boxes.open("dev", "a");
    come(READY, failedStatus(1));
    expect(await opening).toEqual({ outcome: "opened", failed: [made[1]] });
  });

  it.each([
    [
      "one that it reaches is up",
      { fs: READY, git: READY },
      { outcome: "opened", failed: [], closed: [0, 0] },
    ],
    [
      "one that it reaches not is down",
      { fs: READY, git: failedStatus(1) },
      { outcome: "opened", failed: [], closed: [0, 0] },
    ],
    [
      "one that it reaches not is up",
      { fs: failedStatus(1), git: READY },
      { outcome: "failed", failed: ["fs"], closed: [1, 1] },
    ],
    [
      "all are down",
      { fs: failedStatus(1), git: failedStatus(1) },
      { outcome: "failed", failed: ["fs"], closed: [1, 1] },
    ],
  ] as const)(
    "is for a holder what it would be without servers that it does not reach: %s (POL-9)",
    async (_, { fs, git }, expected) => {
      const { boxes, made, come } = createBoxes([
        ["dev", "fs"],
        ["dev", "git"],
      ]);
      const opening = boxes.open("dev", "a", ({ server }) => server === "fs");
      come(fs, git);
      const { outcome, ...rest } = await opening;
      const failed = "failed" in rest ? rest.failed.map(({ id }) => id.server) : [];
      expect({ outcome, failed, closed: made.map(({ closed }) => closed) }).toEqual(expected);
      expect(boxes.isOpen("dev")).toBe(outcome === "opened");
    },
  );

  it("that fails for one holder stays open for another that reaches more (POL-9)", async () => {
    const { boxes, made, come } = createBoxes([
      ["dev", "fs"],
      ["dev", "git"],
    ]);
    const opens = [boxes.open("dev", "a", ({ server }) => server === "fs"), boxes.open("dev", "b")];
    come(failedStatus(1), READY);
    expect(await Promise.all(opens)).toEqual([
      { outcome: "failed", failed: [made[0]] },
      { outcome: "opened", failed: [made[0]] },
    ]);
    expect([boxes.isOpen("dev"), boxes.close("dev", "a"), boxes.close("dev", "b")]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it("again while all servers are down says so, and does not close what is held", async () => {
    const { boxes, made, come } = createBoxes([["dev", "fs"]]);
    const first = boxes.open("dev", "a");
    come(READY);
    await first;
    come(failedStatus(0));
    expect(await boxes.open("dev", "a")).toMatchObject({ outcome: "failed" });
    expect(made[0]?.closed).toBe(0);
    expect(boxes.isOpen("dev")).toBe(true);
  });

  it("of what does not exist is no opening, whatever its name (SAFE-1)", async () => {
    const { boxes } = createBoxes([["dev", "fs"]]);
    for (const name of ["other", "__proto__", "constructor", ""])
      expect(await boxes.open(name, "a")).toEqual({ outcome: "unknown" });
  });

  it("by a holder that leaves meanwhile leaves nothing behind", async () => {
    const { boxes, made, set } = createBoxes([["dev", "fs"]]);
    const opening = boxes.open("dev", "a");
    boxes.leave("a");
    expect(await opening).toMatchObject({ outcome: "failed" });
    expect(made[0]?.closed).toBe(1);
    expect(set.all()).toEqual([]);
    expect(boxes.held().size).toBe(0);
  });

  it("begins anew for who comes after the last one left", async () => {
    const { boxes, made } = createBoxes([["dev", "fs"]]);
    const left = boxes.open("dev", "a");
    boxes.leave("a");
    const stays = boxes.open("dev", "b");
    await expect.poll(() => made.length).toBe(2);
    made[1]?.come(READY);
    expect(await stays).toMatchObject({ outcome: "opened" });
    await left;
    expect(boxes.isOpen("dev")).toBe(true);
    expect(made.map(({ closed }) => closed)).toEqual([1, 0]);
  });
});

describe("closing", () => {
  it("ends the connections with the last holder", async () => {
    const { boxes, made, come } = createBoxes([["dev", "fs"]]);
    const opens = [boxes.open("dev", "a"), boxes.open("dev", "b")];
    come(READY);
    await Promise.all(opens);
    expect(boxes.close("dev", "a")).toBe(true);
    expect(boxes.close("dev", "a")).toBe(false);
    expect(made[0]?.closed).toBe(0);
    boxes.leave("b");
    expect(made[0]?.closed).toBe(1);
    expect(boxes.isOpen("dev")).toBe(false);
  });

  it("does not touch the same server in another toolbox (BOX-7)", async () => {
    const { boxes, made, come } = createBoxes([
      ["dev", "fs"],
      ["ops", "fs"],
    ]);
    const opens = [boxes.open("dev", "a"), boxes.open("ops", "a")];
    come(READY, READY);
    await Promise.all(opens);
    boxes.close("dev", "a");
    expect(made.map(({ id, closed }) => [id.toolbox, closed])).toEqual([
      ["dev", 1],
      ["ops", 0],
    ]);
    expect(boxes.isOpen("ops")).toBe(true);
  });
});

describe("a reload", () => {
  it("connects again what changed in a toolbox that is held, and what is new in it", async () => {
    const { boxes, made, set, come, adopt } = createBoxes([["dev", "fs"]]);
    const opening = boxes.open("dev", "a");
    come(READY);
    await opening;
    const changed = createMemoryDownstream(undefined, {
      server: "fs",
      toolbox: "dev",
      launch: { kind: "stdio", command: "other", args: [], env: new Map(), cwd: "/" },
    });
    adopt({
      servers: [changed, createMemoryDownstream(undefined, { server: "git", toolbox: "dev" })].map((each) =>
        serverOf(each),
      ),
    });
    expect(made[0]?.closed).toBe(1);
    expect(set.all().map(({ id }) => id.server)).toEqual(["fs", "git"]);
  });

  it("closes what nobody holds when toolboxes are no longer always open", () => {
    const { made, set, adopt } = createBoxes([["dev", "fs"]]);
    adopt({ mode: "static" });
    expect(set.all()).toHaveLength(1);
    adopt({ mode: "proxy" });
    expect(set.all()).toEqual([]);
    expect(made[0]?.closed).toBe(1);
  });

  it("forgets who held a toolbox that is gone", async () => {
    const { boxes, come, adopt } = createBoxes([["dev", "fs"]]);
    const opening = boxes.open("dev", "a");
    come(READY);
    await opening;
    adopt({ toolboxes: [], servers: [] });
    expect(boxes.isOpen("dev")).toBe(false);
    expect(boxes.held().size).toBe(0);
  });
});

describe("a toolbox in use (POL-9)", () => {
  it("is disconnected when the call in it has ended, not before", async () => {
    const { boxes, set, come } = createBoxes([["dev", "fs"]]);
    const opening = boxes.open("dev", "a");
    come(READY);
    await opening;
    const ends = [boxes.use("dev"), boxes.use("dev")];
    expect(boxes.close("dev", "a")).toBe(true);
    ends[0]?.();
    expect(set.all()).toHaveLength(1);
    ends[1]?.();
    expect(set.all()).toHaveLength(0);
    // What is not open is nobody's.
    boxes.use("dev")();
    expect(boxes.held().size).toBe(0);
  });
});

describe("a toolbox that is opened and closed again and again (SAFE-5)", () => {
  /** One server, and a clock that goes on when the test says so. */
  function createPaced(status: DownstreamStatus = READY) {
    let now = 0;
    const timers = new Map<() => void, number>();
    const stage = createBoxes([["dev", "fs"]], {
      elapsed: () => now,
      after(ms, call) {
        timers.set(call, now + ms);
        return () => void timers.delete(call);
      },
    });
    const { boxes, made } = stage;
    const pass = (ms: number): void => {
      now += ms;
      for (const [call, at] of timers) if (at <= now && timers.delete(call)) call();
    };
    /** Its server answers when it is started. */
    const open = async (holder: string) => {
      const before = made.length;
      let opening: Awaited<ReturnType<typeof boxes.open>> | undefined;
      const opened = boxes.open("dev", holder).then((outcome) => {
        opening = outcome;
      });
      for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
      if (made.length > before) made.at(-1)?.come(status);
      return { opened, outcome: () => opening?.outcome };
    };
    const cycle = async (times: number): Promise<void> => {
      for (let n = 0; n < times; n += 1) {
        await (await open("a")).opened;
        boxes.close("dev", "a");
      }
    };
    const running = () => made.filter(({ closed }) => closed === 0).length;
    return { ...stage, pass, open, cycle, running, timers };
  }

  it("ends with its last holder after a few starts: one below, at and one above (limits: QUICK_STARTS of start-pace)", async () => {
    const { made, boxes, cycle, pass, running } = createPaced();
    await cycle(QUICK_STARTS - 1);
    expect([made.length, running()]).toEqual([QUICK_STARTS - 1, 0]);
    await cycle(1);
    // The next start would have to wait, so the servers of this one do.
    expect([made.length, running()]).toEqual([QUICK_STARTS, 1]);
    expect(boxes.isOpen("dev")).toBe(false);
    await cycle(100);
    expect([made.length, running()]).toEqual([QUICK_STARTS, 1]);
    pass(START_INTERVAL_MS - 1);
    expect(running()).toBe(1);
    pass(1);
    expect(running()).toBe(0);
    await cycle(1);
    expect([made.length, running()]).toEqual([QUICK_STARTS + 1, 1]);
    pass(QUICK_STARTS * START_INTERVAL_MS);
    expect(running()).toBe(0);
    await cycle(QUICK_STARTS - 1);
    expect([made.length, running()]).toEqual([2 * QUICK_STARTS, 0]);
  });

  it("is there at once for the next holder, and stays while it is held", async () => {
    const { boxes, cycle, pass, running, timers } = createPaced();
    await cycle(QUICK_STARTS);
    expect(await boxes.open("dev", "b")).toMatchObject({ outcome: "opened" });
    expect(timers.size).toBe(0);
    pass(START_INTERVAL_MS);
    expect([running(), boxes.isOpen("dev")]).toEqual([1, true]);
    boxes.close("dev", "b");
    expect(running()).toBe(0);
  });

  it("is not started again at once where it fails, and leaves nothing running (GW-14)", async () => {
    const { made, cycle, open, pass, running } = createPaced(failedStatus(1));
    await cycle(QUICK_STARTS);
    expect([made.length, running()]).toEqual([QUICK_STARTS, 0]);
    const waiting = await open("a");
    expect([made.length, waiting.outcome()]).toEqual([QUICK_STARTS, undefined]);
    pass(START_INTERVAL_MS);
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    expect(made).toHaveLength(QUICK_STARTS + 1);
    made.at(-1)?.come(failedStatus(1));
    await waiting.opened;
    expect([waiting.outcome(), running()]).toEqual(["failed", 0]);
  });

  it("that is left while it starts is there for the next one, unless it fails", async () => {
    const { boxes, made, cycle, running } = createPaced();
    await cycle(QUICK_STARTS - 1);
    const left = boxes.open("dev", "a");
    await expect.poll(running).toBe(1);
    boxes.leave("a");
    const next = boxes.open("dev", "b");
    made.at(-1)?.come(READY);
    expect([await left, await next].map(({ outcome }) => outcome)).toEqual(["opened", "opened"]);
    expect([made.length, running()]).toEqual([QUICK_STARTS, 1]);
    const other = createPaced();
    await other.cycle(QUICK_STARTS - 1);
    const failing = other.boxes.open("dev", "a");
    await expect.poll(other.running).toBe(1);
    other.boxes.leave("a");
    expect(other.running()).toBe(1);
    other.made.at(-1)?.come(failedStatus(1));
    await failing;
    expect(other.running()).toBe(0);
    await expect.poll(() => other.timers.size).toBe(1);
  });

  it("is ended by a reload that takes it away or keeps every toolbox open, and by nothing after it", async () => {
    const { boxes, cycle, adopt, pass, running, timers } = createPaced();
    await cycle(QUICK_STARTS);
    adopt({ mode: "static" });
    expect([timers.size, boxes.held().size]).toEqual([0, 0]);
    pass(START_INTERVAL_MS);
    expect(running()).toBe(1);
    adopt({ mode: "dynamic" });
    expect(running()).toBe(0);
    await cycle(1);
    expect(boxes.held().size).toBe(1);
    adopt({ toolboxes: [], servers: [] });
    expect([timers.size, boxes.held().size, running()]).toEqual([0, 0, 0]);
  });
});
