// Approvals: what waits, as the model sees it, what changed, who asks; once, always, until a day, or no; about the digest that was
// shown (CON-1, POL-3).

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryOf, tokenOf } from "../../gateway/harness-console.js";
import { type ConsoleWorld, MARKUP, openConsoleWorld, VIEWS } from "../console-world.js";

const ANN = tokenOf("a");
const AS_ANN = { headers: { authorization: `Bearer ${ANN}` } };

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    store: "onym.db",
    auth: { tokens: [entryOf("ann", ANN)] },
    mcpServers: { bank: stage.entry({ label: "bank", tools: [] }) },
    policy: { rules: [{ effect: "ask", tool: "bank@1/*@*" }] },
  }));
  await world.onym.said(/ready +bank/);
});
afterAll(() => world.close());

const question = (page: Page, tool: string) =>
  page.locator("article.question", { has: page.getByRole("heading", { name: `bank@1/${tool}@1` }) });

const define = (name: string, description: string) => ({
  name,
  title: `Title of ${name}`,
  description,
  inputSchema: { type: "object", properties: { amount: { type: "number" } } },
  annotations: { destructiveHint: true },
});

/** Offers tools of these descriptions, and calls until the gateway knows them so. */
async function offer(tools: readonly ReturnType<typeof define>[]): Promise<void> {
  const server = await world.stage.control.server("bank");
  await server.direct({ do: "set", tools });
}

const call = (tool: string) => world.call(`bank_${tool}`, AS_ANN);
const isAllowed = async (tool: string) => {
  const { result, error } = await call(tool);
  return error === undefined && result?.["isError"] !== true;
};

describe.each(VIEWS)("approvals at $width pixels, $scheme (CON-1)", (view) => {
  const on = `${view.width}_${view.scheme}`;
  /** A tool of its own for each test: decisions stay. */
  const waiting = async (page: Page, tool: string, description = "Pays.") => {
    await offer([define(tool, description)]);
    await expect
      .poll(async () => {
        await call(tool);
        return question(page, tool).count();
      })
      .toBe(1);
    return question(page, tool);
  };

  it("show what waits: who asks, the definition as the model sees it, as text, and its digest", async () => {
    const { page, finish } = await world.open("approvals", view);
    const tool = `seen_${on}`;
    const description = `Pays. ${MARKUP}\n\u202eturned ${"long ".repeat(2_000)}`;
    const card = await waiting(page, tool, description);
    const text = await card.innerText();
    expect(text).toMatch(/asked by ann \d+ s ago · digest \S{20,}/);
    expect(text).toContain(`Title of ${tool}`);
    expect(text).toContain(`Pays. ${MARKUP}`);
    expect(text).toContain("\\u{202e}turned");
    await card.getByText("Input", { exact: true }).click();
    await expect.poll(() => card.innerText()).toContain('"amount"');
    await card.getByText("Annotations", { exact: true }).click();
    await expect.poll(() => card.innerText()).toContain('"destructiveHint": true');
    expect(await page.locator("#content img").count()).toBe(0);
    await card.getByRole("button", { name: "Deny" }).click();
    await expect.poll(() => card.count()).toBe(0);
    await finish();
  });

  it("allow once: one call runs, the next asks again", async () => {
    const { page, finish } = await world.open("approvals", view);
    const tool = `once_${on}`;
    const card = await waiting(page, tool);
    await card.getByRole("button", { name: "Allow once" }).click();
    await expect.poll(() => card.count()).toBe(0);
    expect([await isAllowed(tool), await isAllowed(tool)]).toEqual([true, false]);
    await expect.poll(() => card.count()).toBe(1);
    await finish();
  });

  it("allow until a day, and say so", async () => {
    const { page, finish, troubles } = await world.open("approvals", view);
    const tool = `until_${on}`;
    const card = await waiting(page, tool);
    const day = card.getByLabel("Until which day");
    await day.fill("2020-01-01");
    await card.getByRole("button", { name: "Until", exact: true }).click();
    await expect.poll(() => card.getByRole("alert").innerText()).toBe("The end must be in the future.");
    expect(troubles.splice(0)).toEqual([expect.stringContaining("status of 400")]);
    expect(await isAllowed(tool)).toBe(false);
    const nextYear = new Date().getFullYear() + 1;
    await day.fill(`${nextYear}-02-03`);
    await card.getByRole("button", { name: "Until", exact: true }).click();
    await expect.poll(() => card.count()).toBe(0);
    expect([await isAllowed(tool), await isAllowed(tool)]).toEqual([true, true]);
    const decided = page.locator(".plain-table tr", { hasText: `until_${on}` });
    await expect.poll(() => decided.innerText()).toContain("approved");
    const told = await decided.innerText();
    expect(told).toMatch(/until .*(?:2\/3|3\.2\.|03\/02|02\/03)/);
    expect(told).toContain(String(nextYear));
    expect(told).toContain("console");
    await finish();
  });

  it("allow always, until the definition changes: then they show the difference, and deny", async () => {
    const { page, finish } = await world.open("approvals", view);
    const tool = `always_${on}`;
    const card = await waiting(page, tool, "Pays an invoice.");
    await card.getByRole("button", { name: "Always" }).click();
    await expect.poll(() => card.count()).toBe(0);
    expect([await isAllowed(tool), await isAllowed(tool)]).toEqual([true, true]);
    const changed = await waiting(page, tool, `Pays anybody. ${MARKUP}`);
    const difference = await changed.locator("div.changed").innerText();
    expect(difference).toContain("Changed since it was approved");
    expect(difference).toContain("Pays an invoice.");
    expect(difference).toContain("Pays anybody. <img src=x");
    expect(await page.locator("#content img").count()).toBe(0);
    await changed.getByRole("button", { name: "Deny" }).click();
    await expect.poll(() => changed.count()).toBe(0);
    expect(await isAllowed(tool)).toBe(false);
    const decided = page.locator(".plain-table tr", { hasText: tool }).first();
    await expect.poll(() => decided.innerText()).toMatch(new RegExp(`rejected\\s+bank@1/${tool}@1\\s+ann`));
    await finish();
  });

  it("decide about the digest that is shown, and about no other that came meanwhile", async () => {
    const { page, finish, troubles } = await world.open("approvals", view);
    const tool = `digest_${on}`;
    const card = await waiting(page, tool, "Pays.");
    const shown = /digest (\S+)/.exec(await card.innerText())?.[1];
    // What the page sends is changed on its way: the gateway must not take it for what was shown.
    let sent: unknown;
    await page.route("**/console/api/approvals/*", (route) => {
      sent = route.request().postDataJSON();
      return route.continue({ postData: JSON.stringify({ ...Object(sent), digest: "another" }) });
    });
    await card.getByRole("button", { name: "Always" }).click();
    await expect.poll(() => sent).toMatchObject({ verdict: "approved", how: "always", digest: shown });
    await expect
      .poll(() => card.getByRole("alert").innerText())
      .toContain("definition is another one by now");
    expect(await isAllowed(tool)).toBe(false);
    await page.unroute("**/console/api/approvals/*");
    await card.getByRole("button", { name: "Always" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => card.count()).toBe(0);
    expect(await isAllowed(tool)).toBe(true);
    // Chromium itself tells of answers that are no success.
    expect(troubles.splice(0).filter((text) => !text.includes("status of 409"))).toEqual([]);
    await finish();
  });
});

it("more than a page of approvals are on the next ones, the oldest first (CON-1, SAFE-5)", async () => {
  const names = Array.from({ length: 25 }, (_, n) => `paged_${n}`);
  await offer(names.map((name) => define(name, "Pays.")));
  const { page, finish } = await world.open("approvals", VIEWS[0]);
  for (const name of names)
    await expect.poll(async () => (await call(name)).error?.code ?? "asked").toBe("asked");
  const pages = page.getByRole("group", { name: "Pages" });
  const cards = page.locator("article.question");
  await expect.poll(() => pages.innerText()).toMatch(/20 of \d+ that wait, the oldest first/);
  expect(await cards.count()).toBe(20);
  expect(await question(page, "paged_24").count()).toBe(0);
  await pages.getByRole("button", { name: "Next page" }).click();
  await expect.poll(() => question(page, "paged_24").count()).toBe(1);
  expect(await pages.getByRole("button", { name: "Next page" }).isDisabled()).toBe(true);
  await question(page, "paged_24").getByRole("button", { name: "Deny" }).click();
  await expect.poll(() => question(page, "paged_24").count()).toBe(0);
  await pages.getByRole("button", { name: "First page" }).click();
  await expect.poll(() => cards.count()).toBe(20);
  await finish();
});
