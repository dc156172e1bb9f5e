// How long a decision takes to be in force on three replicas: measured and printed, never asserted. `npm run spread` makes
// enough of them to say something.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openProxy } from "../../packages/onym/src/store/testing/open-proxy.js";
import { isLong } from "../long-runs.js";
import type { RunningOnym } from "./harness.js";
import { callByName, createFleet, type Fleet } from "./harness-replicas.js";

const DECISIONS = Number(process.env["ONYM_SPREAD"] ?? (isLong ? 4 : 2));

let fleet: Fleet;
beforeAll(async () => {
  fleet = await createFleet();
});
afterAll(() => fleet.close());

describe("a decision in PostgreSQL", () => {
  it.each(["told", "polled"] as const)("reaches three replicas, %s", async (way) => {
    const location = await fleet.newLocation();
    const proxy = await openProxy(location);
    if (way === "polled") proxy.forbid("listen onym_changed");
    const { url } = await fleet.control.startHttp({ label: way, tools: ["send"] });
    const config = {
      mcpServers: { crm: { url } },
      store: proxy.location,
      policy: { default: "allow", rules: [{ effect: "ask", tool: "crm@1/send@1" }] },
    };
    const onyms = await Promise.all([1, 2, 3].map(() => fleet.start(config)));
    const isRun = async (onym: RunningOnym): Promise<boolean> =>
      (await callByName(onym, "openai", "crm_send")).result?.["isError"] !== true;
    /** From now until the answer to the first call that shows it. */
    const measure = async (onym: RunningOnym, wanted: boolean, since: number): Promise<number> => {
      while ((await isRun(onym)) !== wanted);
      return performance.now() - since;
    };
    const measureAll = (wanted: boolean): Promise<number[]> => {
      const since = performance.now();
      return Promise.all(onyms.map((onym) => measure(onym, wanted, since)));
    };
    for (const onym of onyms) expect(await isRun(onym)).toBe(false);
    const store = await fleet.open(location);
    const [pending] = await store.approvals.pending();
    if (pending === undefined) throw new Error("nothing waits");
    const { principal, tool, launch, digest, definition } = pending;
    const approvals: number[] = [];
    const revocations: number[] = [];
    for (let count = 0; count < DECISIONS; count += 1) {
      const { id } = await store.approvals.decide({
        ...{ principal, tool, launch, digest, definition },
        verdict: "approved",
        decidedAt: Date.now(),
        decidedBy: "test",
        expiresAt: undefined,
      });
      approvals.push(...(await measureAll(true)));
      expect(await store.approvals.revoke(id, Date.now())).toBe(true);
      revocations.push(...(await measureAll(false)));
    }
    console.log(
      `${way === "told" ? "LISTEN/NOTIFY" : "poll alone   "}  ${DECISIONS} approvals: ${summarize(approvals)}; ` +
        `${DECISIONS} revocations: ${summarize(revocations)} (ms, on three replicas)`,
    );
    await fleet.clear();
    await proxy.close();
  });
});

function summarize(times: readonly number[]): string {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (part: number): string => (sorted[Math.floor((sorted.length - 1) * part)] ?? 0).toFixed(0);
  return `median ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)}`;
}
