import { buildSnapshot } from "@onym/core";
import { buildCatalog } from "@onym/core/naming";
import { describe, expect, it } from "vitest";
import { resultReply } from "../../mcp/message.js";
import { silentLog } from "../../model/log.js";
import { createMemoryStore } from "../../store/create-memory-store.js";
import type { StoredApproval } from "../../store/store.js";
import { approvalOf, toolA } from "../../store/testing/test-place.js";
import type { GuardedCall } from "../calls/guard.js";
import { buildSession } from "../testing/test-callers.js";
import { bindCall, createCallGrants, createStandingApprovals } from "./standing-approvals.js";

const ROW: StoredApproval = { ...approvalOf(), id: 1, revokedAt: undefined };
const ANN = { principal: "ann", tool: toolA };

/** A store whose reads are answered by hand, and whose changes are told by hand. */
function slowStore() {
  const reads: { readonly give: (rows: readonly StoredApproval[]) => void; readonly fail: () => void }[] = [];
  let tell = () => {};
  let wake = () => {};
  const store = {
    approvals: {
      standing: () =>
        new Promise<readonly StoredApproval[]>((give, reject) => {
          reads.push({ give, fail: () => reject(new Error("gone")) });
          wake();
        }),
    },
    watch: (listener: (revision: number) => void) => {
      tell = () => listener(1);
      return () => {};
    },
  };
  const read = (count: number) =>
    new Promise<(typeof reads)[number]>((resolve) => {
      wake = () => {
        const found = reads[count - 1];
        if (found !== undefined) resolve(found);
      };
      wake();
    });
  return { store: store as never, read, reads, tell: () => tell() };
}

describe("approvals in force", () => {
  it("are read one after the other, so that an older state never takes the place of a newer one", async () => {
    const { store, read, reads, tell } = slowStore();
    const made = createStandingApprovals({ store, now: () => 0, log: silentLog });
    (await read(1)).give([ROW]);
    const standing = await made;
    tell();
    const second = await read(2);
    tell();
    tell();
    expect(reads).toHaveLength(2);
    second.give([ROW]);
    const third = await read(3);
    const isRefreshed = standing.refresh();
    third.give([]);
    (await read(4)).give([]);
    await isRefreshed;
    expect(standing.find(ANN).kind).toBe("none");
    expect(reads).toHaveLength(4);
    standing.close();
  });

  it("are read again after a failure, because a change is told only once", async () => {
    const { store, read, tell } = slowStore();
    const made = createStandingApprovals({ store, now: () => 0, log: silentLog, retryMs: 1 });
    (await read(1)).give([ROW]);
    const standing = await made;
    const changed = new Promise<void>((resolve) => standing.changes.add(resolve));
    tell();
    (await read(2)).fail();
    (await read(3)).give([]);
    await changed;
    expect(standing.find(ANN).kind).toBe("none");
    standing.close();
  });
});

describe("an approval that has expired (POL-2)", () => {
  const HOUR = 3_600_000;
  const setUp = async (store = createMemoryStore(silentLog), clock = { wall: 1_000_000, elapsed: 0 }) => {
    const open = () =>
      createStandingApprovals({
        store,
        now: () => clock.wall,
        elapsed: () => clock.elapsed,
        log: silentLog,
      });
    const standing = await open();
    await store.approvals.decide(approvalOf({ expiresAt: clock.wall + HOUR }));
    await standing.refresh();
    expect(standing.find(ANN).kind).toBe("inForce");
    return { store, clock, standing, open };
  };
  const pass = (clock: { wall: number; elapsed: number }, ms: number) => {
    clock.wall += ms;
    clock.elapsed += ms;
  };

  it("does not live again when the wall clock is set back", async () => {
    const { clock, standing } = await setUp();
    pass(clock, HOUR);
    expect(standing.find(ANN).kind).toBe("expired");
    clock.wall -= 2 * HOUR;
    expect(standing.find(ANN).kind).toBe("expired");
    await standing.refresh();
    expect(standing.find(ANN).kind).toBe("expired");
  });

  it("has its hour and no more, though nobody looked before the clock was set back", async () => {
    const { clock, standing, open } = await setUp();
    clock.wall -= 5 * HOUR;
    pass(clock, HOUR - 1);
    expect(standing.find(ANN).kind).toBe("inForce");
    pass(clock, 1);
    expect(standing.find(ANN).kind).toBe("expired");
    expect((await open()).find(ANN).kind).toBe("expired");
  });

  it("stays expired for a process that starts later, with another clock", async () => {
    const { store, clock, standing } = await setUp();
    pass(clock, HOUR);
    standing.close();
    const later = { store, now: () => 0, elapsed: () => 0, log: silentLog };
    expect((await createStandingApprovals(later)).find(ANN).kind).toBe("expired");
    await store.approvals.decide(approvalOf({ expiresAt: HOUR }));
    expect((await createStandingApprovals(later)).find(ANN).kind).toBe("inForce");
  });
});

describe("call grants", () => {
  const [send, post] = buildCatalog([{ server: "mail", tools: ["send", "post"] }]).tools;
  const ASKED = resultReply({
    resultType: "input_required",
    inputRequests: {},
    requestState: "same-for-all",
  });

  function call(
    more: { principal?: string; tool?: typeof send | undefined; launch?: string; params?: object } = {},
  ) {
    const { principal = "ann", tool = send, launch = "l", params = {} } = more;
    const sent = { name: "mail_send", arguments: { a: 1 }, requestState: "same-for-all", ...params };
    return {
      caller: { principal },
      target: { kind: "tool", identity: tool },
      launch,
      params: sent,
    } as unknown as GuardedCall;
  }

  describe("a grant for the next leg of a call", () => {
    it("is good once, and for each call that was given one", () => {
      const grants = createCallGrants();
      grants.give(call(), ASKED);
      grants.give(call(), ASKED);
      expect([grants.take(call()), grants.take(call()), grants.take(call())]).toEqual([true, true, false]);
    });

    it.each([
      ["another caller", { principal: "eve" }],
      ["another tool", { tool: post }],
      ["another command", { launch: "other" }],
      ["other arguments", { params: { arguments: { a: 2 } } }],
      ["another state", { params: { requestState: "other" } }],
      ["no state", { params: { requestState: undefined } }],
    ])("is no good for %s", (_, more) => {
      const grants = createCallGrants();
      grants.give(call(), ASKED);
      expect(grants.take(call(more))).toBe(false);
      expect(grants.take(call())).toBe(true);
    });

    it("is not given for a call that is done, and the oldest is forgotten first", () => {
      const grants = createCallGrants(1);
      grants.give(call(), resultReply({ content: [] }));
      expect(grants.take(call())).toBe(false);
      grants.give(call(), ASKED);
      grants.give(call({ principal: "bob" }), ASKED);
      expect([grants.take(call()), grants.take(call({ principal: "bob" }))]).toEqual([false, true]);
    });
  });
});

it("binds a call to its own caller and launch, whoever called the same tool before (POL-2)", () => {
  const [tool] = buildSnapshot([{ server: "mail", tools: ["send"] }]).catalog.tools;
  if (tool === undefined) throw new Error("no tool");
  const bind = (principal: string, launch: string) =>
    bindCall({ target: { kind: "tool", identity: tool }, caller: { ...buildSession(), principal }, launch });
  const seen = [
    ["ann", "one"],
    ["bob", "one"],
    ["bob", "two"],
    ["ann", "one"],
  ].map(([principal = "", launch = ""]) => bind(principal, launch));
  expect(seen.map(({ principal, launch }) => [principal, launch])).toEqual([
    ["ann", "one"],
    ["bob", "one"],
    ["bob", "two"],
    ["ann", "one"],
  ]);
  expect(new Set(seen.map(({ digest, tool: key }) => `${digest} ${key}`)).size).toBe(1);
});
