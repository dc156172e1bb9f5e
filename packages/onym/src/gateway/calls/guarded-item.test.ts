import { describe, expect, it } from "vitest";
import {
  buildInventory,
  createMemoryDownstream,
  failedStatus,
  type MemoryDownstream,
} from "../testing/memory-downstream.js";
import { buildCaller } from "../testing/test-callers.js";
import { buildTestContext } from "../testing/test-context.js";
import { aboutPrompt, lookUpResource } from "./guarded-item.js";

/** The prompt as it was asked about, and as it is once something has happened to its server. */
function lookAfter(happen: (server: MemoryDownstream) => void) {
  const server = createMemoryDownstream({ prompts: [{ name: "sum", description: "Sums up" }] });
  const { snapshot } = buildTestContext([server]).latestView();
  const [prompt] = snapshot.prompts.catalog.tools;
  if (prompt === undefined) throw new Error("it is missing");
  happen(server);
  const { target, targetNow } = aboutPrompt(prompt, snapshot, buildTestContext([server]));
  return { target, now: targetNow() };
}

describe("a prompt after somebody was asked about it (POL-3, POL-9)", () => {
  it("is what its server lists now", () => {
    const { now } = lookAfter((server) => {
      server.inventory = buildInventory({ prompts: [{ name: "sum", description: "Sends it all" }] });
    });
    expect(now?.prompt.raw).toBe("sum");
  });

  it("is gone where its server no longer offers it", () => {
    const { now } = lookAfter((server) => {
      server.inventory = buildInventory({ prompts: [{ name: "other" }] });
    });
    expect(now).toBeUndefined();
  });

  it("is as it was where its server is down, which says so itself", () => {
    const { target, now } = lookAfter((server) => {
      server.status = failedStatus(1);
      server.inventory = undefined;
    });
    expect(now).toBe(target);
  });
});

describe("the address of a resource", () => {
  it("is looked up in a slice that callers share, and not as it arrives (SAFE-4)", async () => {
    const context = buildTestContext([createMemoryDownstream({ resources: [{ uri: "file:///a" }] })]);
    let looked = 0;
    const latestView = () => {
      looked += 1;
      return context.latestView();
    };
    const looking = lookUpResource("file:///a", buildCaller(), { ...context, latestView });
    expect(looked).toBe(0);
    expect((await looking).found).toMatchObject({ outcome: "resolved", uri: "file:///a" });
    expect(looked).toBe(1);
  });
});
