// The console in a browser, against a running gateway with real servers: each page does what it is for, hostile text stays text,
// nothing is asked of anybody else, and nobody is kept out (CON-1).

import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryOf, tokenOf } from "../gateway/harness-console.js";
import {
  type ConsoleWorld,
  findBarriers,
  MARKUP,
  openConsoleWorld,
  VIEWS,
  watchPage,
} from "./console-world.js";

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld();
  for (const name of ["bank_balance", "bank_money", "bank_fail", "bank_pay", "nonsense", "bank_secret"])
    await world.call(name);
});
afterAll(() => world.close());

/** Where pictures go that somebody wants to look at. */
const { SCREENSHOTS } = process.env;

const PAGES = [
  ["names", ".matrix-row"],
  ["resolve", ".steps .step"],
  ["calls", "table.calls tbody tr"],
  ["approvals", "article.question"],
  ["servers", "article.server"],
  ["connect", ".way"],
] as const;

describe.each(VIEWS)("at $width pixels, $scheme (CON-1)", (view) => {
  it.each(PAGES)(
    "%s shows, without errors, barriers, strangers or a page that is too wide",
    async (path, wanted) => {
      const { page, context, troubles } = await world.open(path, view);
      await page.locator(wanted).first().waitFor();
      if (path === "resolve") {
        await page.getByRole("textbox", { name: "Text" }).fill("bank_balance");
        await page.locator(".step.matched").waitFor();
      }
      if (path === "calls") await page.locator("table.calls button.link").first().click();
      expect(await findBarriers(context, page)).toEqual([]);
      const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(scroll).toBeLessThanOrEqual(width ?? 0);
      if (SCREENSHOTS !== undefined) {
        mkdirSync(SCREENSHOTS, { recursive: true });
        await page.screenshot({ path: `${SCREENSHOTS}/${path}-${view.width}-${view.scheme}.png` });
      }
      expect(troubles).toEqual([]);
      await context.close();
    },
  );

  it("a hostile tool's page shows its text as text, within the page", async () => {
    const { page, context, troubles } = await world.open("names", view);
    const search = page.getByRole("searchbox", { name: "Search tools and names" });
    for (const text of ["plain@", "turned", "long_xx", "emoji", "<img"]) {
      await search.fill(text);
      await page.locator(".matrix-row").first().waitFor();
      await page.locator(".matrix-row .matrix-tool a").first().click();
      await page.locator(".prose").first().waitFor();
      const [scroll, width] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      expect(scroll).toBeLessThanOrEqual(width ?? 0);
      expect(await page.locator("#content img, #content script").count()).toBe(0);
      expect(await page.title()).toBe("Tool · Onym");
      expect(await page.evaluate(() => document.body.innerText)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
      if (SCREENSHOTS !== undefined)
        await page.screenshot({
          path: `${SCREENSHOTS}/tool-${text.replace(/\W/g, "")}-${view.width}-${view.scheme}.png`,
        });
      await page.goBack();
    }
    expect(await findBarriers(context, page)).toEqual([]);
    expect(troubles).toEqual([]);
    await context.close();
  });
});

describe("names (CON-1)", () => {
  it("are filtered, searched, picked by client; what is cut or numbered is marked, problems have their fix", async () => {
    const { page, context } = await world.open("names");
    await page.locator(".matrix-cell .text").first().waitFor();
    const turned = page.locator(".matrix-row.warning", { hasText: "turned" });
    await expect.poll(() => turned.locator("a").getAttribute("title")).toContain("does not take");
    const rows = page.locator(".matrix-row");
    await page.getByRole("combobox", { name: "Server" }).selectOption("crm");
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => page.locator(".sign.cut").count()).toBeGreaterThan(0);
    await page.getByRole("combobox", { name: "Which names" }).selectOption("marked");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("combobox", { name: "Server" }).selectOption("");
    await page.getByRole("combobox", { name: "Which names" }).selectOption("all");
    await page.getByRole("searchbox", { name: "Search tools and names" }).fill("crm_get_leads");
    await expect.poll(() => rows.count()).toBe(1);
    await page.locator(".picker summary").click();
    await page.getByRole("searchbox", { name: "Search clients" }).fill("zed");
    await page.getByRole("checkbox", { name: "Zed" }).check();
    await expect.poll(() => page.getByRole("columnheader", { name: /^Zed/ }).count()).toBe(1);
    // With the keyboard: the matrix is reached, and scrolls.
    await page.locator(".picker summary").click();
    await page.getByRole("searchbox", { name: "Search tools and names" }).fill("");
    await page.locator(".matrix").focus();
    await page.keyboard.press("End");
    await page.locator(".problems summary").click();
    expect(await page.locator(".problems li .dim").first().innerText()).not.toBe("");
    await context.close();
  });

  it("lead to a tool's page: layers, names, definition with digest, policy, calls", async () => {
    const { page, context } = await world.open("names");
    await page.getByRole("link", { name: "bank@1/balance@1" }).click();
    const text = async () => page.locator("#content").innerText();
    await expect.poll(text).toContain("bank_balance");
    for (const part of [
      "lookup key",
      "trace name",
      "approval key",
      "digest",
      "Who may call it",
      "bank_money",
    ])
      expect(await text()).toContain(part);
    await context.close();
  });
});

describe("resolve (CON-1)", () => {
  it("lights the step that found it, and says what else was meant where none did", async () => {
    const { page, context } = await world.open("resolve");
    const text = page.getByRole("textbox", { name: "Text" });
    await text.fill("bank@1/balance@1");
    await expect.poll(() => page.locator(".step.matched b").innerText()).toBe("canonical");
    await text.fill("mcp__onym__bank_balance");
    await expect.poll(() => page.locator(".step.matched b").innerText()).not.toBe("canonical");
    await text.fill("bank_balanse");
    await expect.poll(() => page.locator(".verdict").innerText()).toContain("bank_balance");
    await text.fill(MARKUP);
    await expect.poll(() => page.locator(".verdict").count()).toBe(1);
    await context.close();
  });
});

describe("calls (CON-1)", () => {
  it("appear as they end, with their phases; filters keep what fits", async () => {
    const { page, context } = await world.open("calls");
    await page.locator("table.calls tbody tr").first().waitFor();
    const before = await page.locator("table.calls tbody tr").count();
    await world.call("bank_balance");
    await expect.poll(() => page.locator("table.calls tbody tr").count()).toBe(before + 1);
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("result");
    await page.locator("table.calls button.link").first().click();
    await expect.poll(() => page.locator(".waterfall tr").count()).toBeGreaterThan(3);
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("refused");
    await page.getByRole("searchbox", { name: "Search calls" }).fill("nonsense");
    await expect.poll(() => page.locator("table.calls tbody tr").count()).toBe(1);
    expect(await page.locator(".rate").count()).toBeGreaterThan(0);
    await context.close();
  });

  it("go on after the connection was lost, which shows meanwhile", async () => {
    const { page, context } = await world.open("calls");
    await page.locator("table.calls tbody tr").first().waitFor();
    await context.setOffline(true);
    await expect.poll(() => page.locator(".banner").innerText()).toContain("does not answer");
    await world.call("bank_fail");
    await context.setOffline(false);
    await expect.poll(() => page.locator(".banner").innerText()).toBe("");
    const first = page.locator("table.calls tbody tr").first();
    await expect.poll(() => first.innerText()).toContain("bank_fail");
    await context.close();
  });
});

describe("approvals (CON-1)", () => {
  it("show what the model sees, and decide about exactly that", async () => {
    const { page, context } = await world.open("approvals");
    const question = page.locator("article.question").first();
    await question.waitFor();
    expect(await question.innerText()).toContain("Pays an invoice.");
    await question.getByRole("button", { name: "Always" }).click();
    await expect.poll(() => page.locator("article.question").count()).toBe(0);
    await expect.poll(async () => (await world.call("bank_pay")).result?.["isError"]).not.toBe(true);
    const server = await world.stage.control.server("bank");
    const pay = { name: "pay", description: `Pays. ${MARKUP}`, inputSchema: { type: "object" } };
    await server.direct({ do: "set", tools: [pay, "balance", "fail", "secret"] });
    await expect.poll(async () => (await world.call("bank_pay")).result?.["isError"]).toBe(true);
    await expect.poll(() => page.locator(".changed .changes").count()).toBe(1);
    expect(await page.locator("div.changed").innerText()).toContain("<img");
    await page.getByRole("button", { name: "Deny" }).click();
    await expect.poll(() => page.locator("article.question").count()).toBe(0);
    await expect.poll(() => page.locator("#content").innerText()).toContain("rejected");
    await context.close();
  });
});

describe("servers and connect (CON-1)", () => {
  it("tell what is missing, restart, open a toolbox, and who still calls old names", async () => {
    const { page, context } = await world.open("servers");
    const gone = page.getByRole("article", { name: "Server gone" });
    await gone.waitFor();
    expect(await gone.innerText()).toContain("no-such-program-anywhere");
    const before = world.stage.starts("hostile");
    await page
      .getByRole("article", { name: "Server hostile" })
      .getByRole("button", { name: "Restart" })
      .click();
    await expect.poll(() => world.stage.starts("hostile")).toBe(before + 1);
    await page.getByRole("button", { name: "Open" }).click();
    await expect
      .poll(() => page.getByRole("article", { name: "Server boxed" }).innerText())
      .toContain("ready");
    expect(await page.locator("#content").innerText()).toContain("still called by");
    await context.close();
  });

  it("copy the exact registration", async () => {
    const { page, context } = await world.open("connect");
    await page.getByRole("radio", { name: "Cursor" }).check();
    await page.getByRole("heading", { name: "Onym in Cursor" }).waitFor();
    await page.getByRole("button", { name: "Copy" }).last().click();
    await expect
      .poll(() => page.evaluate(() => navigator.clipboard.readText()))
      .toContain(`${world.onym.url}/cursor`);
    await context.close();
  });
});

describe("signing in (CON-1)", () => {
  it("takes the link once, without leaving the key in the address; else asks, and says why not", async () => {
    const origin = new URL(world.onym.url).origin;
    const context = await world.browser.newContext();
    const page = await context.newPage();
    const troubles = watchPage(page, origin);
    await page.goto(`${origin}/`);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await findBarriers(context, page)).toEqual([]);
    await page.getByLabel("Or paste the link").fill("no-token-of-anybody");
    await page.getByRole("button", { name: "Sign in" }).click();
    await expect.poll(() => page.getByRole("alert").innerText()).toContain("Sign in first");
    const [, used = ""] = await world.onym.said(/^console (\S+)$/m);
    await page.goto(used);
    await page.reload();
    await expect.poll(() => page.url()).not.toContain("key=");
    // Chromium itself tells of answers that are no success.
    expect(troubles.filter((text) => !text.includes("status of 401"))).toEqual([]);
    await context.close();
  });
});

describe("rights and keys (CON-1)", () => {
  it("a caller with a token changes nothing, and copies a registration that has its token", async () => {
    const token = tokenOf("t");
    const onym = await world.stage.start({
      config: {
        auth: { tokens: [entryOf("ann", token)] },
        mcpServers: { shop: world.stage.entry({ label: "shop", tools: ["buy"] }) },
      },
    });
    const { origin } = new URL(onym.url);
    const context = await world.browser.newContext({ permissions: ["clipboard-read", "clipboard-write"] });
    const page = await context.newPage();
    const troubles = watchPage(page, origin);
    await page.goto(`${origin}/`);
    await page.getByLabel("Or paste the link").fill(token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("read-only").waitFor();
    await page.getByRole("link", { name: "Servers" }).click();
    await page.locator("article.server").first().waitFor();
    expect(await page.getByRole("button", { name: "Restart" }).count()).toBe(0);
    await page.getByRole("link", { name: "Connect" }).click();
    await page.getByRole("radio", { name: "Cursor" }).check();
    await page.getByRole("heading", { name: "Onym in Cursor" }).waitFor();
    await page.getByRole("button", { name: "Copy" }).last().click();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain(`Bearer ${token}`);
    expect(troubles).toEqual([]);
    await context.close();
  });

  it("every page is reached by the keyboard alone", async () => {
    const { page, context } = await world.open("names");
    await page.locator(".matrix-row").first().waitFor();
    for (const name of ["Resolve", "Calls", "Approvals", "Servers", "Connect"]) {
      const isThere = () => page.evaluate(() => document.activeElement?.textContent ?? "");
      for (let presses = 0; presses < 40 && !(await isThere()).startsWith(name); presses += 1)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
    await context.close();
  });
});
