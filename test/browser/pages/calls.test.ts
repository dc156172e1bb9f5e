// Calls: live, every column, filters, one call's waterfall, rates, latency and errors as plots (CON-1).

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ConsoleWorld, MARKUP, openConsoleWorld, VIEWS } from "../console-world.js";

const CLIENT = "desk\u202eapp <b>";

/** At least that long; a busy machine may take longer. */
const SLOW_MS = 120;

/** As it is shown: `130 ms`, `1.3 s`. */
function readMs(text = ""): number {
  const [, value = "", unit] = /([\d.]+) (ms|s)\b/.exec(text) ?? [];
  return Number(value) * (unit === "s" ? 1_000 : 1);
}

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    store: "onym.db",
    mcpServers: {
      // The integration, which stands in the canonical name, is not the server's id.
      ledger: {
        ...stage.entry({
          label: "ledger",
          tools: ["balance", "fail", "secret", "slow"],
          behaviours: [
            { tool: "fail", fail: "isError" },
            { tool: "slow", delayMs: SLOW_MS },
          ],
        }),
        integration: "bank",
      },
      mail: stage.entry({ label: "mail", tools: ["send"] }),
    },
    renames: [{ from: "bank_money", to: "bank@1/balance@1" }],
    policy: { rules: [{ effect: "deny", tool: "*/secret@*" }] },
  }));
  await world.onym.said(/5 tools of 2 servers/);
  for (const name of ["bank_balance", "bank_money", "bank_fail", "bank_slow", "bank_secret", "mail_send"])
    await world.call(name, { clientName: CLIENT });
});
afterAll(() => world.close());

const rows = (page: Page) => page.locator("table.calls > tbody > tr:not(.details)");
const search = (page: Page) => page.getByRole("searchbox", { name: "Search calls" });

describe.each(VIEWS)("calls at $width pixels, $scheme (CON-1)", (view) => {
  it("tell time, caller, client, name as sent, tool, server, decision, rule, duration and outcome", async () => {
    const { page, finish } = await world.open("calls", view);
    const cellsOf = async (name: string) =>
      rows(page).filter({ hasText: name }).last().locator("td").allInnerTexts();
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(6);
    const [time, caller, sent, tool, decision, took, outcome] = await cellsOf("bank_slow");
    expect(time).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(caller?.replace(/\s+/g, " ")).toBe("local desk\\u{202e}app <b>");
    expect(sent).toBe("bank_slow");
    expect(tool?.replace(/\s+/g, " ")).toBe("bank@1/slow@1 ledger");
    expect(decision).toMatch(/^allow/);
    expect(readMs(took)).toBeGreaterThanOrEqual(SLOW_MS);
    expect(outcome).toBe("result");
    expect((await cellsOf("bank_money"))[3]).toContain("former name");
    expect((await cellsOf("bank_fail"))[6]).toBe("tool error");
    const secret = await cellsOf("bank_secret");
    expect([secret[4]?.replace(/\s+/g, " ").trim(), secret[6]]).toEqual([
      expect.stringMatching(/^deny rules\[0\]$/),
      "policy",
    ]);
    await finish();
  });

  it("appear as they end, without a question of the page, and wait while it is paused", async () => {
    const { page, finish } = await world.open("calls", view);
    // The report stays as it was, so that whatever appears comes by the stream.
    let report: { readonly contentType: string; readonly body: Buffer } | undefined;
    await page.route("**/console/api/calls", async (route) => {
      report ??= { contentType: "application/json", body: await (await route.fetch()).body() };
      await route.fulfill(report);
    });
    const streamed = page.waitForResponse((response) => response.url().endsWith("/console/api/calls/stream"));
    await page.reload();
    await Promise.all([streamed, rows(page).first().waitFor()]);
    const before = await rows(page).count();
    await world.call("mail_send");
    await expect.poll(() => rows(page).count()).toBe(before + 1);
    await page.getByRole("button", { name: "Pause" }).click();
    const witness = await world.open("calls", view);
    await world.call(MARKUP);
    await expect.poll(() => rows(witness.page).first().innerText()).toContain(MARKUP);
    expect(await rows(page).count()).toBe(before + 1);
    await page.getByRole("button", { name: "Resume" }).click();
    await expect.poll(() => rows(page).first().innerText()).toContain(MARKUP);
    expect(await page.locator("#content img").count()).toBe(0);
    await witness.finish();
    await finish();
  });

  it("go on after the connection was lost, which shows meanwhile", async () => {
    const { page, context, troubles, finish } = await world.open("calls", view);
    await rows(page).first().waitFor();
    await context.setOffline(true);
    await expect.poll(() => page.locator(".banner").innerText()).toContain("does not answer");
    await world.call(`missed_${view.width}_${view.scheme}`);
    await context.setOffline(false);
    await expect.poll(() => page.locator(".banner").innerText()).toBe("");
    await expect.poll(() => rows(page).first().innerText()).toContain(`missed_${view.width}_${view.scheme}`);
    await world.call("mail_send");
    await expect.poll(() => rows(page).first().innerText()).toContain("mail_send");
    expect(troubles.splice(0).filter((text) => !text.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);
    await finish();
  });

  it("are filtered by outcome, and searched by name, tool, server, client and reason", async () => {
    const { page, finish } = await world.open("calls", view);
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(6);
    const outcome = page.getByRole("combobox", { name: "Outcome" });
    const names = async () => new Set(await rows(page).locator("td:nth-child(3)").allInnerTexts());
    await outcome.selectOption("tool_error");
    await expect.poll(names).toEqual(new Set(["bank_fail"]));
    await outcome.selectOption("");
    await search(page).fill("ledger");
    await expect
      .poll(names)
      .toEqual(new Set(["bank_balance", "bank_money", "bank_fail", "bank_slow", "bank_secret"]));
    await search(page).fill("bank@1/slow");
    await expect.poll(names).toEqual(new Set(["bank_slow"]));
    await search(page).fill("policy");
    await expect.poll(names).toEqual(new Set(["bank_secret"]));
    await search(page).fill("desk");
    await expect.poll(() => rows(page).count()).toBe(6);
    await search(page).fill("nobody called this");
    await expect.poll(() => page.locator("#content").innerText()).toContain("No call fits the filters.");
    await finish();
  });

  it("have a waterfall of their phases, and the ids to find them elsewhere", async () => {
    const { page, finish } = await world.open("calls", view);
    await search(page).fill("bank_slow");
    await rows(page).first().locator("button.link").press("Enter");
    const phases = page.locator(".waterfall tr");
    await expect
      .poll(() => phases.locator("th").allInnerTexts())
      .toEqual(["resolve the name", "decide by policy", "record the intent", "the server", "answer"]);
    // One after the other, to the end; what took long is long.
    const bars = await phases
      .locator("rect.phase")
      .evaluateAll((found) =>
        found.map((bar) => ({ x: Number(bar.getAttribute("x")), width: Number(bar.getAttribute("width")) })),
      );
    expect(bars.every(({ x }, at) => at === 0 || x >= (bars[at - 1]?.x ?? 0))).toBe(true);
    expect((bars.at(-1)?.x ?? 0) + (bars.at(-1)?.width ?? 0)).toBeGreaterThan(99);
    const inAll = readMs(await page.locator(".waterfall caption").innerText());
    const atServer = readMs(await phases.nth(3).locator(".number").innerText());
    expect(atServer).toBeGreaterThanOrEqual(SLOW_MS);
    expect(Math.abs((bars[3]?.width ?? 0) - (100 * atServer) / inAll)).toBeLessThan(5);
    const facts = await page.locator(".details dl").innerText();
    for (const fact of ["tools/call", "found by", "public", "ledger", "request id", "audit record"])
      expect(facts).toContain(fact);
    await finish();
  });

  it("are plotted by server and by tool: rate, errors and latency", async () => {
    const { page, finish } = await world.open("calls", view);
    const figure = (name: string) => page.locator("figure").filter({ hasText: name });
    await expect
      .poll(() => figure("ledger").locator("figcaption").innerText())
      .toMatch(/4 calls · 1 error · p50 .* · p95 \d/);
    expect(await figure("ledger").locator("svg.rate").getAttribute("aria-label")).toBe(
      "4 calls and 1 error in the last hour",
    );
    expect(await figure("ledger").locator("svg.rate rect.calls").count()).toBeGreaterThan(0);
    expect(
      await figure("ledger")
        .locator("svg.rate rect.errors")
        .evaluateAll((bars) => bars.some((bar) => Number(bar.getAttribute("height")) > 0)),
    ).toBe(true);
    expect(await figure("ledger").locator("svg.latency circle").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "by tool" }).click();
    await expect
      .poll(() => figure("bank@1/slow@1").locator("figcaption").innerText())
      .toMatch(/1 call · 0 errors · p50 \d/);
    expect(readMs(/p50.*/.exec(await figure("bank@1/slow@1").innerText())?.[0])).toBeGreaterThanOrEqual(
      SLOW_MS,
    );
    expect(await figure("bank@1/fail@1").locator("figcaption").innerText()).toContain("1 error");
    await finish();
  });
});
