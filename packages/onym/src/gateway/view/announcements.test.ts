import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createFeedStage as createStage } from "../testing/feed-stage.js";
import { buildInventory, toolsNamed } from "../testing/memory-downstream.js";
import { buildSession } from "../testing/test-callers.js";

const TOOLS = { method: "notifications/tools/list_changed", params: {} };
const PROMPTS = { method: "notifications/prompts/list_changed", params: {} };
const RESOURCES = { method: "notifications/resources/list_changed", params: {} };

describe("list changes (GW-7)", () => {
  it("are told once for each real change, and not for others", async () => {
    const { fs, swap, enter, listen } = createStage();
    const session = enter();
    const { received } = listen({ toolsListChanged: true });
    await swap();
    fs.inventory = buildInventory({ ...fs.inventory });
    await swap();
    expect([session.received, received]).toEqual([[], []]);
    fs.inventory = buildInventory({ ...fs.inventory, tools: toolsNamed("a", "b") });
    await swap();
    await swap();
    expect([session.received, received]).toEqual([[TOOLS], [TOOLS]]);
  });

  it("are told though another view takes effect before each is made ready (SAFE-5)", async () => {
    const { fs, swap, enter } = createStage();
    const session = enter();
    let changes = 0;
    for (; session.received.length === 0 && changes < 100; changes += 1) {
      fs.inventory = buildInventory({ ...fs.inventory, tools: toolsNamed("a", `b${changes}`) });
      void swap();
      await nextTurn();
    }
    expect([session.received, changes < 100]).toEqual([[TOOLS], true]);
  });

  it("reach listeners when the settings change what is shown", async () => {
    const { swap, enter, listen } = createStage();
    const session = enter();
    const { received } = listen({ toolsListChanged: true });
    await swap({ mode: "proxy" });
    expect([session.received, received]).toEqual([[TOOLS], [TOOLS]]);
    await swap({ toolboxes: [{ id: "dev", description: undefined }] });
    expect([session.received, received]).toEqual([
      [TOOLS, TOOLS],
      [TOOLS, TOOLS],
    ]);
  });

  it("are not told to who never listed, is not ready, did not ask, or stopped", async () => {
    const { fs, swap, enter, listen, sessions } = createStage();
    const unready = enter({ ready: false });
    const fresh = buildSession();
    sessions.add(fresh);
    const silent = listen({ promptsListChanged: true });
    const stopped = listen({ toolsListChanged: true });
    stopped.stop();
    fs.inventory = buildInventory({ ...fs.inventory, tools: [] });
    await swap();
    for (const { received } of [unready, fresh, silent, stopped]) expect(received).toEqual([]);
  });

  it("of prompts and resources are told apart", async () => {
    const { fs, swap, enter, listen } = createStage();
    const session = enter();
    const { received, honoured } = listen({
      resourcesListChanged: true,
      promptsListChanged: true,
      other: true,
    });
    expect(honoured).toEqual({ resourcesListChanged: true, promptsListChanged: true });
    fs.inventory = buildInventory({ ...fs.inventory, prompts: [{ name: "p" }] });
    await swap();
    fs.inventory = buildInventory({ ...fs.inventory, templates: [{ uriTemplate: "a://{b}" }] });
    await swap();
    expect([session.received, received]).toEqual([
      [PROMPTS, RESOURCES],
      [PROMPTS, RESOURCES],
    ]);
  });
});

describe("a server that comes or goes (GW-7)", () => {
  it("changes only the lists it has something for", async () => {
    const { box, swap, enter, listen } = createStage();
    const session = enter();
    const { received } = listen({
      toolsListChanged: true,
      resourcesListChanged: true,
      promptsListChanged: true,
    });
    box.inventory = buildInventory({ tools: toolsNamed("b") });
    await swap();
    expect([session.received, received]).toEqual([[TOOLS], [TOOLS]]);
    box.inventory = buildInventory({ tools: toolsNamed("b"), prompts: [{ name: "p" }] });
    await swap();
    box.inventory = undefined;
    await swap();
    expect(session.received).toEqual([TOOLS, PROMPTS, TOOLS, PROMPTS]);
    expect(received).toEqual(session.received);
  });

  it("is nothing to callers that are confined to other toolboxes", async () => {
    const { box, swap, enter } = createStage();
    box.inventory = undefined;
    await swap();
    const inside = enter({ id: "1", confinedTo: ["dev"] });
    const outside = enter({ id: "2", confinedTo: ["ops"] });
    box.inventory = buildInventory({ prompts: [{ name: "p" }], resources: [{ uri: "box://a" }] });
    await swap();
    expect([inside.received, outside.received]).toEqual([[PROMPTS, RESOURCES], []]);
  });
});

describe("many clients (SAFE-4)", () => {
  const enterMany = ({ enter }: ReturnType<typeof createStage>) =>
    Array.from({ length: 300 }, (_, n) => enter({ id: String(n) }));
  const offer = ({ fs }: ReturnType<typeof createStage>, ...tools: readonly string[]): void => {
    fs.inventory = buildInventory({ ...fs.inventory, tools: toolsNamed(...tools) });
  };
  const receivedBy = (sessions: ReturnType<typeof enterMany>) => sessions.map((session) => session.received);

  it("are told after the turn in which the view changed", async () => {
    const stage = createStage();
    const sessions = enterMany(stage);
    offer(stage, "a", "b");
    const told = stage.swap();
    expect(receivedBy(sessions).flat()).toEqual([]);
    await told;
    expect(receivedBy(sessions)).toEqual(sessions.map(() => [TOOLS]));
  });

  it("are told once of changes that come before they are told, and not of one that was taken back", async () => {
    const stage = createStage();
    const sessions = enterMany(stage);
    offer(stage, "a", "b");
    void stage.swap();
    offer(stage, "a", "b", "c");
    await stage.swap();
    expect(receivedBy(sessions)).toEqual(sessions.map(() => [TOOLS]));
    offer(stage, "a");
    void stage.swap();
    offer(stage, "a", "b", "c");
    await stage.swap();
    expect(receivedBy(sessions)).toEqual(sessions.map(() => [TOOLS]));
  });

  it("are told together of changes that come while others are told", async () => {
    const stage = createStage();
    const sessions = enterMany(stage);
    let changes = 0;
    const first = stage.enter({
      id: "first",
      channel: {
        notify() {
          if (changes > 0) return;
          for (; changes < 20; changes += 1) {
            offer(stage, "a", `new_${changes}`);
            void stage.swap();
          }
        },
        sendRequest: async () => ({ kind: "error", error: { code: 0, message: "no" } }),
      },
    });
    offer(stage, "a", "b");
    await stage.swap();
    expect(changes).toBe(20);
    expect(first.shown).toBe(sessions[0]?.shown);
    for (const received of receivedBy(sessions)) expect(received.length).toBeLessThanOrEqual(2);
  });

  it("are not told after they left", async () => {
    const stage = createStage();
    const sessions = enterMany(stage);
    offer(stage, "a", "b");
    const told = stage.swap();
    for (const session of sessions.slice(1)) stage.sessions.delete(session);
    await told;
    expect(receivedBy(sessions).flat()).toEqual([TOOLS]);
  });
});
