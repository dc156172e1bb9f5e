// Servers: state, restarts, tools, latency, log, what is missing; restart; toolboxes; problems, renames, the lock (CON-1). Signing in
// to one is in sign-in.test.ts.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModern } from "../../gateway/harness-raw.js";
import { type ConsoleWorld, MARKUP, openConsoleWorld, VIEWS } from "../console-world.js";

let world: ConsoleWorld;
let config: object;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => {
    const mail = stage.entry({ label: "mail", tools: ["send"] });
    config = {
      store: "onym.db",
      mode: "dynamic",
      mcpServers: {
        bank: stage.entry({
          label: "bank",
          version: "4.2.0",
          tools: ["pay", "balance"],
          behaviours: [{ tool: "pay", fail: "isError" }],
        }),
        torn: stage.entry({ label: "torn", tools: ["a", "b"], pageSize: 1, losesPages: true }),
        gone: { command: "no-such-program-anywhere" },
        mail: { ...mail, env: { KEY: `\${MAIL_KEY_THAT_NOBODY_SET}` } },
      },
      toolboxes: { dev: { mcpServers: { boxed: stage.entry({ label: "boxed", tools: ["build"] }) } } },
      renames: [
        { from: "bank_money", to: "bank@1/balance@1", until: "2999-12-31" },
        { from: "bank_lost", to: "bank@1/nothing@1" },
      ],
    };
    return config;
  });
  await world.onym.said(/down +gone/);
  await world.onym.said(/ready +bank/);
  for (const name of ["bank_balance", "bank_money", "bank_pay"]) await world.call(name);
});
afterAll(() => world.close());

const server = (page: Page, id: string) => page.getByRole("article", { name: `Server ${id}` });
const card = (page: Page, title: string) =>
  page.locator(".card", { has: page.getByRole("heading", { name: title, exact: true }) });

describe.each(VIEWS)("servers at $width pixels, $scheme (CON-1)", (view) => {
  it("tell state, tools, version, calls, errors and latency of each, and what was left out", async () => {
    const { page, finish } = await world.open("servers", view);
    const bank = server(page, "bank");
    await expect.poll(() => bank.innerText()).toContain("ready");
    expect(await bank.innerText()).toMatch(
      /2 tools · stdio · version 4\.2\.0.*[3-9] calls, 1 error · p50 (?:<1|\d+) ms, p95 (?:<1|\d+|[\d.]+) m?s/,
    );
    const torn = server(page, "torn");
    await torn.getByText("1 problem with its lists").click();
    await expect.poll(() => torn.locator("details li").first().innerText()).toMatch(/^tools\/list/);
    expect(await page.locator("nav a", { hasText: "Servers" }).innerText()).toMatch(/Servers\s*2/);
    await finish();
  });

  it("tell why one is down and what to do: a program, or a variable that is missing", async () => {
    const { page, finish } = await world.open("servers", view);
    const gone = server(page, "gone");
    await expect.poll(() => gone.innerText()).toContain("failed");
    expect(await gone.locator(".bad-text").innerText()).toContain("no-such-program-anywhere");
    const mail = server(page, "mail");
    await expect.poll(() => mail.innerText()).toContain("MAIL_KEY_THAT_NOBODY_SET");
    expect(await mail.innerText()).toContain("failed");
    await finish();
  });

  it("have the tail of the log, as text", async () => {
    const { page, finish } = await world.open("servers", view);
    const said = `${MARKUP} at ${view.width} ${view.scheme}`;
    await (await world.stage.control.server("bank")).direct({ do: "stderr", text: `${said}\n` });
    const bank = server(page, "bank");
    await bank.getByText(/^Log/).click();
    await expect.poll(() => bank.locator(".log").innerText()).toContain(said);
    expect(await page.locator("#content img").count()).toBe(0);
    await finish();
  });

  it("are restarted, which is counted; one that dies comes back and is counted, too", async () => {
    const { page, finish } = await world.open("servers", view);
    const bank = server(page, "bank");
    await bank.getByRole("button", { name: "Restart" }).waitFor();
    const restarts = async () => Number(/(\d+) restarts?/.exec(await bank.innerText())?.[1] ?? 0);
    const [before, starts] = [await restarts(), world.stage.starts("bank")];
    await bank.getByRole("button", { name: "Restart" }).click();
    await expect.poll(restarts).toBe(before + 1);
    expect(world.stage.starts("bank")).toBe(starts + 1);
    await (await world.stage.control.server("bank")).direct({ do: "exit", code: 3 });
    await expect.poll(restarts).toBe(before + 2);
    await expect.poll(() => bank.innerText()).toContain("ready");
    await finish();
  });

  it("are opened and closed by toolbox", async () => {
    const { page, finish } = await world.open("servers", view);
    const boxed = server(page, "boxed");
    await expect.poll(() => boxed.innerText()).toContain("closed");
    await card(page, "Toolboxes").getByRole("button", { name: "Open" }).click();
    await expect.poll(() => boxed.innerText()).toMatch(/ready[\s\S]*1 tool/);
    expect(await card(page, "Toolboxes").innerText()).toMatch(/dev\s+open/);
    await card(page, "Toolboxes").getByRole("button", { name: "Close" }).click();
    await expect.poll(() => boxed.innerText()).toContain("closed");
    await finish();
  });

  it("stand beside problems of the config: a rename to nothing, and a file that cannot be used until it can", async () => {
    const { page, finish } = await world.open("servers", view);
    const problems = card(page, "Problems");
    await expect.poll(() => problems.innerText()).toMatch(/bank@1\/nothing@1[\s\S]*rename-to-nothing/);
    const file = join(world.onym.dir, "onym.json");
    writeFileSync(file, JSON.stringify({ ...config, mode: "sideways" }));
    await expect.poll(() => problems.innerText()).toMatch(/The config is not used: [\s\S]*mode/);
    expect(await server(page, "bank").innerText()).toContain("ready");
    writeFileSync(file, JSON.stringify(config));
    await expect.poll(() => problems.innerText()).not.toContain("The config is not used");
    await finish();
  });

  it("stand beside renames in their window, with who still calls old names", async () => {
    const { page, finish } = await world.open("servers", view);
    const rename = card(page, "Renames").locator("li", { hasText: "bank_money" });
    await expect
      .poll(() => rename.innerText())
      .toMatch(/bank_money → bank@1\/balance@1\s+warn, open, until after 2999-12-31/);
    const times = /still called by local: (\d+) times, last \d+/.exec(await rename.innerText())?.[1];
    await world.call("bank_money");
    await expect
      .poll(() => rename.innerText())
      .toContain(`still called by local: ${Number(times) + 1} times`);
    await finish();
  });
});

describe("the lock beside the servers (CON-1, LOCK-1)", () => {
  const offered = (name: string, description = "Does it.") => ({
    name,
    description,
    inputSchema: { type: "object" },
  });

  it.each(VIEWS)(
    "tells how it drifts from the tools that are there, at $width pixels, $scheme",
    async (view) => {
      const label = `drift-${view.width}-${view.scheme}`;
      const drifting = await openConsoleWorld((stage) => ({
        mcpServers: { bank: stage.entry({ label, tools: [offered("pay"), offered("balance")] }) },
      }));
      await drifting.onym.said(/ready +bank/);
      const { page, finish } = await drifting.open("servers", view);
      const lock = page.getByRole("article", { name: "Lock" });
      await expect.poll(() => lock.innerText()).toMatch(/0 names of 0 tools on record/);
      expect(await lock.locator("li.unrecorded").innerText()).toMatch(/2 tools on no record yet/);
      await askModern({ url: `${drifting.onym.url}/openai`, method: "tools/list" });
      await expect.poll(() => lock.innerText()).toMatch(/[1-9]\d* names of 2 tools on record, 0 kept/);
      expect(await lock.locator("li").count()).toBe(0);
      const bank = await drifting.stage.control.server(label);
      await bank.direct({ do: "set", tools: [offered("balance", "Does something else."), offered("fund")] });
      await expect
        .poll(() => lock.locator("li.gone").innerText())
        .toMatch(/1 tool on record, but not there now.*bank@1\/pay@1/);
      expect(await lock.locator("li.unrecorded").innerText()).toContain("bank@1/fund@1");
      expect(await lock.locator("li.redefined").innerText()).toContain("bank@1/balance@1");
      await finish();
      await drifting.close();
    },
  );
});
