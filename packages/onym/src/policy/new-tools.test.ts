import { toolKeyOf } from "@onym/core/identity";
import { expect, it } from "vitest";
import { buildKnownTools } from "./new-tools.js";

const send = toolKeyOf({ server: "mail", raw: "send" });
const purge = toolKeyOf({ server: "mail", raw: "purge" });
const known = buildKnownTools({
  servers: [{ server: "mail" }, { server: "fs", toolbox: "dev" }],
  tools: [
    { tool: send, launch: "l1", state: "known" },
    { tool: purge, launch: "l1", state: "new" },
    { tool: send, launch: "l2", state: "new" },
  ],
});

it("takes for new what is not known: what came later, what is reached in another way, and what was never noted (POL-1)", () => {
  const cases = [
    [send, "l1", false],
    [purge, "l1", true],
    [send, "l2", true],
    [purge, "l2", true],
    [send, "l3", true],
    [toolKeyOf({ server: "mail", toolbox: "dev", raw: "send" }), "l1", true],
    [toolKeyOf({ server: "post", raw: "send" }), "l1", true],
  ] as const;
  for (const [tool, launch, isNew] of cases)
    expect(known.isNew(tool, launch), `${tool} ${launch}`).toBe(isNew);
});

it("tells what is on record, and which servers were seen", () => {
  expect([known.isNoted(purge, "l1"), known.isNoted(purge, "l2")]).toEqual([true, false]);
  const owners = [{ server: "mail" }, { server: "mail", toolbox: "dev" }, { server: "fs", toolbox: "dev" }];
  expect(owners.map(known.isSeen)).toEqual([true, false, true]);
});
