// Names that move in a running gateway, over real HTTP: whatever is renamed, pinned, restyled, put into toolboxes, reloaded
// or restarted, and in whatever order, a name that was listed never runs another tool.

import type { ToolKey } from "@onym/core";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HistoryStep, historySteps, startHistory } from "../laws/name-history.js";
import { type MovingGateway, serveTools, startMoving } from "./harness-moving.js";

const PROFILES = ["openai", "universal"];
/** Each starts a gateway, and calls every name that it ever listed after each step. */
const RUNS = Number(process.env["ONYM_MOVE_RUNS"] ?? 60);

let servers: Awaited<ReturnType<typeof serveTools>>;
beforeAll(async () => {
  servers = await serveTools();
});
afterAll(() => servers.close());

describe("a name that a running gateway listed", () => {
  it("leads to its tool, to its declared successor, or is refused as retired (LOCK-5) (RES-7) (NAME-4)", async () => {
    await fc.assert(
      fc.asyncProperty(historySteps, fc.array(fc.nat(9), { maxLength: 8 }), (steps, restarts) =>
        runHistory(
          steps,
          restarts.map((each) => each === 0),
        ),
      ),
      { numRuns: RUNS },
    );
  }, 1_800_000);

  it.each<readonly [string, HistoryStep]>([
    ["a pin", { kind: "pin", at: 0, choice: 0 }],
    ["a style", { kind: "style", at: 0, choice: 6 }],
    ["a rename that is declared by a canonical name", { kind: "rename", at: 0, choice: 1 }],
    ["a rename that is declared by a public name", { kind: "rename", at: 0, choice: 3 }],
    ["another server id", { kind: "server", at: 0, choice: 0 }],
  ])("is callable at once after %s, without a restart (RES-7) (NAME-4)", async (_, step) => {
    await runHistory([step], []);
  });
});

async function runHistory(steps: readonly HistoryStep[], restarts: readonly boolean[]): Promise<void> {
  const history = startHistory();
  const gateway = await startMoving(servers.origin, history.world());
  const listed = new Map<string, Shown>();
  try {
    await checkAll(gateway, history, listed);
    for (const [index, step] of steps.entries()) {
      history.apply(step);
      if (restarts[index] === true) await gateway.restart(history.world());
      else await gateway.adopt(history.world());
      await checkAll(gateway, history, listed);
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
  history: ReturnType<typeof startHistory>,
  listed: Map<string, Shown>,
): Promise<void> {
  for (const { profile, name, key } of listed.values()) {
    const end = await gateway.call(profile, name);
    const what = `${JSON.stringify(name)} in ${profile}, once of ${key}: ${JSON.stringify(end)}`;
    if (history.isThere(key))
      expect(end.kind === "ran" && history.whoIs(end.key), what).toBe(history.whoIs(key));
    else expect(end, what).toMatchObject({ kind: "refused", isRetired: true });
  }
  for (const profile of PROFILES) {
    for (const { name, key } of await gateway.list(profile)) {
      const id = JSON.stringify([profile, name]);
      const before = listed.get(id)?.key ?? key;
      expect(history.whoIs(before), `${name} in ${profile}`).toBe(history.whoIs(key));
      expect(await gateway.call(profile, name)).toEqual({ kind: "ran", key });
      listed.set(id, { profile, name, key });
      history.show(name, key);
    }
  }
}
