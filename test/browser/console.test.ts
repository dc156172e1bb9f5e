// The console in a browser, against a running gateway with real servers: each page does what it is for, hostile text stays text,
// nothing is asked of anybody else, and nobody is kept out (CON-1).

import { mkdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { entryOf, tokenOf } from "../gateway/harness-console.js";
import {
  type ConsoleWorld,
  expectNoOverflow,
  findBarriers,
  openConsoleWorld,
  VIEWS,
  watchPage,
} from "./console-world.js";

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld();
  await world.onym.said(/down\s+gone/);
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
      await expectNoOverflow(page);
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
      await expectNoOverflow(page);
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

  it("looks as the system does", async () => {
    const { page, finish } = await world.open("names", view);
    await page.locator(".matrix-row").first().waitFor();
    const brightness = await page.evaluate(() => {
      const [, red = "0", green = "0", blue = "0"] =
        /(\d+), (\d+), (\d+)/.exec(getComputedStyle(document.documentElement).backgroundColor) ?? [];
      return (Number(red) + Number(green) + Number(blue)) / 3;
    });
    expect(brightness > 128 ? "light" : "dark").toBe(view.scheme);
    await finish();
  });

  it("every page is reached by the keyboard alone, and what it holds without going through all of them", async () => {
    const { page, finish } = await world.open("names", view);
    await page.locator(".matrix-row").first().waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    const tabTo = async (name: string) => {
      for (let presses = 0; presses < 40 && !(await focused()).startsWith(name); presses += 1)
        await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
    };
    for (const name of ["Resolve", "Calls", "Approvals", "Servers", "Connect"]) {
      await tabTo(name);
      await page.getByRole("heading", { level: 1, name }).waitFor();
      await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
    }
    await tabTo("Skip to content");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("#content") !== null)).toBe(true);
    await finish();
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

describe("rights (CON-1)", () => {
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
});
