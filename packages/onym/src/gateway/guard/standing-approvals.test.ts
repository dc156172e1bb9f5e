import { describe, expect, it } from "vitest";
import { silentLog } from "../../observe/log.js";
import type { StoredApproval } from "../../store/store.js";
import { approvalOf, toolA } from "../../store/testing/test-place.js";
import { createStandingApprovals } from "./standing-approvals.js";

const ROW: StoredApproval = { ...approvalOf(), id: 1, revokedAt: undefined };
const ANN = { principal: "ann", tool: toolA };

/** A store whose reads are answered by hand, and whose changes are told by hand. */
function slowStore() {
  const reads: { readonly give: (rows: readonly StoredApproval[]) => void; readonly fail: () => void }[] = [];
  let tell = () => {};
  let wake = () => {};
  const store = {
    approvals: {
      inForce: () =>
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
