// Names that move in a running gateway, over real HTTP: whatever is renamed, pinned, restyled, put into toolboxes, reloaded
// or restarted, and in whatever order, a name that was listed never runs another tool.

import type { ToolKey } from "@onym/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type History,
  type HistoryPlan,
  type HistoryStep,
  historyPlans,
  PLAIN_SERVERS,
  startHistory,
} from "../laws/name-history.js";
import { isLong } from "../long-runs.js";
import { type MovingGateway, serveTools, startMoving } from "./harness-moving.js";

const PROFILES = ["openai", "universal", "mcp", "canonical", "cursor", "claude-code"];
/** Each starts a gateway, and calls every name that it ever listed after each step. */
const ASKED = process.env["ONYM_MOVE_RUNS"];
/** The same in every ordinary run, so that a red one means a change; more and new ones by the variable. */
const RUNS = ASKED === undefined ? { numRuns: isLong ? 30 : 4, seed: 20261117 } : { numRuns: Number(ASKED) };

const turns = fc.array(
  fc.record({ isRestart: fc.nat(9).map((each) => each === 0), listed: fc.subarray(PROFILES) }),
  { maxLength: 10 },
);

let servers: Awaited<ReturnType<typeof serveTools>>;
beforeAll(async () => {
  servers = await serveTools();
});
afterAll(() => servers.close());

describe("a name that a running gateway listed", () => {
  it("leads to its tool, to its declared successor, or is refused as retired (LOCK-5) (RES-7) (NAME-4)", async () => {
    await fc.assert(
      fc.asyncProperty(historyPlans, turns, (plan, each) => runHistory(plan, each)),
      RUNS,
    );
  }, 1_800_000);

  it("goes on through a second rename when nobody asked for a list between the two (LOCK-5)", async () => {
    const first = [{ id: "a", toolbox: undefined, tools: ["get.x"] }];
    const steps: readonly HistoryStep[] = [
      { kind: "server", at: 0, choice: 0 },
      { kind: "server", at: 0, choice: 14 },
    ];
    const unasked = steps.map(() => ({ isRestart: true, listed: [] }));
    await runHistory({ servers: first, steps }, unasked);
  });

  it.each<readonly [string, HistoryStep]>([
    ["a pin", { kind: "pin", at: 0, choice: 0 }],
    ["a style", { kind: "style", at: 0, choice: 6 }],
    ["a rename that is declared by a canonical name", { kind: "rename", at: 0, choice: 1 }],
    ["a rename that is declared by a public name", { kind: "rename", at: 0, choice: 3 }],
    ["another server id", { kind: "server", at: 0, choice: 0 }],
  ])("is callable at once after %s, without a restart (RES-7) (NAME-4)", async (_, step) => {
    await runHistory({ servers: PLAIN_SERVERS, steps: [step] }, []);
  });
});

interface Turn {
  readonly isRestart: boolean;
  /** Whose clients ask for lists. */
  readonly listed: readonly string[];
}

async function runHistory({ servers: first, steps }: HistoryPlan, each: readonly Turn[]): Promise<void> {
  const history = startHistory(first);
  const gateway = await startMoving(servers.origin, history.world());
  const listed = new Map<string, Shown>();
  try {
    await checkAll(gateway, history, { listed, profiles: PROFILES });
    for (const [index, step] of steps.entries()) {
      const { isRestart, listed: profiles } = each[index] ?? { isRestart: false, listed: PROFILES };
      history.apply(step);
      await (isRestart ? gateway.restart(history.world()) : gateway.adopt(history.world()));
      await checkAll(gateway, history, { listed, profiles });
    }
  } finally {
    await gateway.close();
  }
}

interface Shown {
  readonly profile: string;
  readonly name: string;
  readonly key: ToolKey;
}

async function checkAll(
  gateway: MovingGateway,
  history: History,
  { listed, profiles }: { readonly listed: Map<string, Shown>; readonly profiles: readonly string[] },
): Promise<void> {
  for (const { profile, name, key } of listed.values()) {
    const end = await gateway.call(profile, name);
    const state = history.stateOf(key);
    const what = `${JSON.stringify(name)} in ${profile}, once of ${key}, ${state}: ${JSON.stringify(end)}`;
    if (end.kind === "ran") expect(history.whoIs(end.key), what).toBe(history.whoIs(key));
    if (state === "there") expect(end.kind, what).toBe("ran");
    else if (state !== "split") expect(end.kind, what).toBe("refused");
    const isWhole = !history.world().servers.some(({ isDown }) => isDown);
    if (state === "gone" && isWhole) expect(end, what).toMatchObject({ isRetired: true });
  }
  for (const profile of profiles) {
    for (const { name, key, canonical } of await gateway.list(profile)) {
      history.learn(canonical, key);
      for (const each of new Set([name, canonical])) {
        const id = JSON.stringify([profile, each]);
        const before = listed.get(id)?.key ?? key;
        expect(history.whoIs(before), `${each} in ${profile}`).toBe(history.whoIs(key));
        const what = `${JSON.stringify(each)} in ${profile}, listed for ${key}`;
        expect(await gateway.call(profile, each), what).toEqual({ kind: "ran", key });
        listed.set(id, { profile, name: each, key });
      }
      history.show(name, key);
    }
  }
}
