// New tools on several replicas of one PostgreSQL: one beginning for all, and what is admitted anywhere is known
// everywhere (POL-1).

import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import type { RunningOnym } from "./harness.js";
import { runCli } from "./harness-cli.js";
import { callByName, createFleet, type Fleet, namesIn } from "./harness-replicas.js";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await createFleet();
});
afterEach(() => fleet.clear());
afterAll(() => fleet.close());

const isRun = async (onym: RunningOnym, name: string): Promise<boolean> => {
  const { result } = await callByName(onym, "openai", name);
  return result !== undefined && result["isError"] !== true;
};
const reach = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo()));
};

it.each(["ask", "deny"])(
  "are the same on each, and known on all once admitted on one: %s",
  async (newTools) => {
    const location = await fleet.newLocation();
    const { url, control } = await fleet.control.startHttp({ label: newTools, tools: ["send", "read"] });
    const config = { mcpServers: { crm: { url } }, store: location, policy: { newTools } };
    // At once: both see it first.
    const [one, two] = await Promise.all([fleet.start(config), fleet.start(config)]);
    if (one === undefined || two === undefined) throw new Error("two were started");
    for (const onym of [one, two])
      for (const name of ["crm_send", "crm_read"]) expect(await isRun(onym, name), name).toBe(true);

    await control.direct({ do: "add", tools: ["purge", "wipe"] });
    await Promise.race([one, two].map((onym) => onym.said(/server "crm" has 2 new tools/)));
    // One that comes later, after the tool, knows no more than the others.
    const three = await fleet.start(config);
    const all = [one, two, three];
    const shown = newTools === "ask" ? 4 : 2;
    for (const onym of all) {
      await reach(async () => (await namesIn(onym, "openai")).size === shown);
      for (const name of ["crm_purge", "crm_wipe"]) expect(await isRun(onym, name), name).toBe(false);
      expect(await isRun(onym, "crm_send")).toBe(true);
    }

    const admitted = await runCli(two, "policy", "admit", "purge", "--yes");
    expect(admitted).toMatchObject({ code: 0, out: expect.stringContaining("crm@1/purge@1") });
    await Promise.all(all.map((onym) => reach(() => isRun(onym, "crm_purge"))));
    for (const onym of all) {
      expect((await namesIn(onym, "openai")).has("crm purge")).toBe(true);
      expect(await isRun(onym, "crm_wipe")).toBe(false);
    }
  },
);
