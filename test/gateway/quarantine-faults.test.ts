// New tools where something fails, through a running gateway: nothing becomes known by it, and nothing is held back for good
// (POL-1).

import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLibsql } from "../../packages/onym/src/store/sqlite/libsql.js";
import { callUnasked } from "./harness-asked.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { runCli } from "./harness-cli.js";
import { ASK, DENY, expectNew, expectRun, listed, until } from "./harness-quarantine.js";
import { reloadConfig } from "./harness-reload.js";

let stage: Stage;
beforeEach(async () => {
  stage = await createStage();
});
afterEach(() => stage.close());

describe("a first listing that is not whole", () => {
  it("is no beginning: all is new until there is one that is whole", async () => {
    const script = { label: "mail", tools: ["a", "b", "c"], pageSize: 2, losesPages: true };
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry(script) }, policy: ASK },
    });
    await expectNew(onym, "mail_a", "mail_b");
    expect(onym.stderr()).toContain("as long as it has not listed them all");
    const server = await stage.control.server("mail");
    await server.direct({ do: "fix" });
    await until(async () => (await listed(onym)).length === 3);
    await expectRun(onym, "mail_a", "mail_b", "mail_c");
    await server.direct({ do: "add", tools: ["d"] });
    await onym.said(/has 1 new tool:/);
    await expectNew(onym, "mail_d");
  });

  it("has a way out while it lasts: what it did list can be admitted", async () => {
    const script = { label: "mail", tools: ["a", "b", "c"], pageSize: 2, losesPages: true };
    const onym = await stage.start({
      config: { mcpServers: { mail: stage.entry(script) }, policy: DENY },
    });
    expect(await listed(onym)).toEqual([]);
    expect((await runCli(onym, "policy", "admit", "--server", "mail", "--yes")).code).toBe(0);
    await until(async () => (await listed(onym)).length === 2);
    await expectRun(onym, "mail_a", "mail_b");
  });
});

describe("a store that fails", () => {
  it("makes nothing known: all stays new, which is told, until it is back", async () => {
    const dir = stage.folder;
    const config = (mcpServers: object) => ({ mcpServers, policy: ASK });
    const onym = await stage.start({ dir, config: config({}) });
    // What it would index cannot be computed, so that nothing can be put into the table.
    await alter(dir, "create index full on onym_known_tools (json('{' || source))");
    await reloadConfig(onym, config({ mail: stage.entry({ label: "mail", tools: ["send"] }) }));
    await onym.said(/tools of server "mail" stay new, because they cannot be put on record/);
    await expectNew(onym, "mail_send");
    await alter(dir, "drop index full");
    await until(async () => (await callUnasked(onym.url, "mail_send")).isError !== true);
  });

  it("that is killed with the gateway between listing and keeping leaves nothing known, and nothing was run", async () => {
    const dir = stage.folder;
    const mail = stage.entry({ label: "mail", tools: ["send"] });
    const config = (mcpServers: object) => ({ mcpServers, policy: ASK });
    const first = await stage.start({ dir, config: config({}) });
    const lock = openLibsql(join(dir, "onym.db"), "rw");
    await lock.exec("begin immediate");
    await reloadConfig(first, config({ mail }));
    const server = await stage.control.server("mail");
    await server.direct({ do: "awaitReceived", method: "tools/list" });
    const call = callUnasked(first.url, "mail_send").catch(() => undefined);
    await first.stop("SIGKILL");
    expect(await call).toBeUndefined();
    await lock.exec("rollback");
    const count = await lock.prepare("select count(*) as count from onym_known_tools");
    expect(await count.all([])).toEqual([{ count: 0 }]);
    lock.close();
    const second = await stage.start({ dir, config: config({ mail }) });
    await expectRun(second, "mail_send");
  });
});

/** Changes the store behind the gateway's back. */
async function alter(dir: string, statement: string): Promise<void> {
  const db = openLibsql(join(dir, "onym.db"), "rw");
  await db.exec(statement);
  db.close();
}
