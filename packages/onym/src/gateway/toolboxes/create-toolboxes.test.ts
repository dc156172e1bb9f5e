import { describe, expect, it } from "vitest";
import type { DownstreamStatus } from "../../downstream/downstream.js";
import { createDownstreamSet } from "../downstream-set.js";
import {
  createMemoryDownstream,
  failedStatus,
  type MemoryDownstream,
  READY,
} from "../testing/memory-downstream.js";
import { buildSettings, serverOf } from "../testing/test-callers.js";
import { createToolboxes } from "./create-toolboxes.js";

/** Toolboxes over a real set, whose downstreams come up when the test says so. */
function createBoxes(servers: readonly (readonly [toolbox: string, server: string])[]) {
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
