// Names: every tool × every client, with the room that is left, marks, problems, filters, search and a choice of clients (CON-1).

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModern, entriesIn } from "../../gateway/harness-raw.js";
import { type ConsoleWorld, openConsoleWorld, VIEWS } from "../console-world.js";

const LONG = `find_${"every_single_one_of_the_".repeat(5)}leads`;

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    mcpServers: {
      bank: stage.entry({ label: "bank", tools: ["pay", "balance"] }),
      twins: stage.entry({ label: "twins", tools: ["a.b", "a_b"] }),
      crm: { tools: ["get_leads", LONG] },
      odd: stage.entry({ label: "odd", tools: ["naïve"] }),
    },
  }));
  await world.onym.said(/7 tools of 4 servers/);
});
afterAll(() => world.close());

const search = (page: Page) => page.getByRole("searchbox", { name: "Search tools and names" });
const rowOf = (page: Page, canonical: string) =>
  page.locator(".matrix-row", {
    has: page.locator(".matrix-tool").getByText(canonical, { exact: true }),
  });

/** Through the picker, as people do. */
async function pickOnly(page: Page, title: string | RegExp): Promise<void> {
  await page.locator(".picker summary").click();
  const wanted = page.locator(".picker").getByRole("checkbox", { name: title }).first();
  await wanted.waitFor();
  await wanted.check();
  const checked = page.locator(".picker").getByRole("checkbox", { checked: true });
  const names = await checked.evaluateAll((boxes) =>
    boxes.map((box) => box.closest("label")?.textContent ?? ""),
  );
  for (const name of names)
    if (!(typeof title === "string" ? name === title : title.test(name)))
      await page.locator(".picker").getByRole("checkbox", { name, exact: true }).uncheck();
  await page.locator(".picker summary").click();
}

/** By canonical name, as the gateway itself lists them to that client. */
async function listedNames(profile: string): Promise<ReadonlyMap<string, string>> {
  const answer = await askModern({ url: `${world.onym.url}/${profile}`, method: "tools/list" });
  return new Map(
    entriesIn(answer, "tools").map(({ name, _meta }) => [String(_meta["onym/canonicalName"]), name]),
  );
}

describe.each(VIEWS)("names at $width pixels, $scheme (CON-1)", (view) => {
  it.each([
    ["openai", /^OpenAI$|^OpenAI \(/, ""],
    ["claude-code", /^Claude Code/, "mcp__onym__"],
  ] as const)("show the name of every tool as %s has it", async (profile, title, prefix) => {
    const { page, finish } = await world.open("names", view);
    await pickOnly(page, title);
    const listed = await listedNames(profile);
    expect(listed.size).toBe(7);
    for (const [canonical, name] of listed)
      await expect
        .poll(() => rowOf(page, canonical).locator(".matrix-cell .text").first().innerText())
        .toBe(prefix + name);
    await finish();
  });

  it("have a bar of the room that is left, and marks where they were cut or numbered", async () => {
    const { page, finish } = await world.open("names", view);
    await pickOnly(page, /^OpenAI$|^OpenAI \(/);
    for (const [canonical, isFull] of [
      ["bank@1/pay@1", false],
      [`crm@1/${LONG}@1`, true],
    ] as const) {
      const cell = rowOf(page, canonical).locator(".matrix-cell").first();
      const name = await cell.locator(".text").innerText();
      const bar = cell.locator(".budget");
      expect(await bar.getAttribute("aria-label")).toBe(`${64 - name.length} characters left of 64`);
      const size = await bar.evaluate((element) => getComputedStyle(element).backgroundSize);
      expect(Number.parseFloat(size)).toBeCloseTo((100 * name.length) / 64, 1);
      expect(((await bar.getAttribute("class")) ?? "").includes("full")).toBe(isFull);
    }
    const cut = rowOf(page, `crm@1/${LONG}@1`).locator(".sign.cut");
    expect(await cut.getAttribute("title")).toContain("cut, with a digest");
    // Which of the two is numbered is the gateway's to say; one is.
    const numbered = page.locator(".matrix-row", { hasText: "twins@1/" }).locator(".sign.numbered");
    expect(await numbered.count()).toBe(1);
    expect(await numbered.getAttribute("title")).toContain("is taken by");
    expect(await rowOf(page, "bank@1/pay@1").locator(".sign").count()).toBe(0);
    await finish();
  });

  it("are filtered by server, marks and problems, searched by tool and by name, and go on with the clients picked", async () => {
    const { page, finish } = await world.open("names", view);
    const rows = page.locator(".matrix-row");
    await expect.poll(() => rows.count()).toBe(7);
    await page.getByRole("combobox", { name: "Server" }).selectOption("crm");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("combobox", { name: "Which names" }).selectOption("marked");
    await expect.poll(() => rows.count()).toBe(1);
    await page.getByRole("combobox", { name: "Server" }).selectOption("");
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole("combobox", { name: "Which names" }).selectOption("problems");
    // One is too long for MCP, the other has a letter that is not for names.
    await expect
      .poll(() => rows.locator(".matrix-tool").allInnerTexts())
      .toEqual([expect.stringContaining("crm@1/find_"), "odd@1/naïve@1"]);
    await page.getByRole("combobox", { name: "Which names" }).selectOption("all");
    await search(page).fill("bank@1/");
    await expect.poll(() => rows.count()).toBe(2);
    // By a name that only a client shows.
    await search(page).fill("mcp__onym__crm_get");
    await expect.poll(() => rows.count()).toBe(1);
    await search(page).fill("nothing of the kind");
    await expect.poll(() => rows.count()).toBe(0);
    await search(page).fill("");
    await page.locator(".picker summary").click();
    await page.getByRole("searchbox", { name: "Search clients" }).fill("zed");
    await page.getByRole("checkbox", { name: "Zed" }).check();
    await expect.poll(() => page.locator(".picker summary").innerText()).toBe("7 clients");
    await page.reload();
    await expect.poll(() => page.locator(".picker summary").innerText()).toBe("7 clients");
    await pickOnly(page, "Zed");
    await expect.poll(() => page.getByRole("columnheader", { name: /^Zed/ }).count()).toBe(1);
    await expect.poll(() => page.getByRole("columnheader").count()).toBe(2);
    await finish();
  });

  it("tell what is wrong with a tool, and the fix", async () => {
    const { page, finish } = await world.open("names", view);
    const odd = page.locator(".matrix-row.warning", { hasText: "na" });
    await expect.poll(() => odd.locator("a").getAttribute("title")).toContain("does not allow");
    await page.locator(".problems summary").click();
    const problem = page.locator(".problems li", { hasText: "does not allow" });
    await expect.poll(() => problem.locator(".dim").innerText()).not.toBe("");
    await finish();
  });
});

describe("names that do not fit (CON-1)", () => {
  const alias = "our-very-own-company-wide-gateway-for-all-of-the-tools-in-it";
  let cramped: ConsoleWorld;
  beforeAll(async () => {
    cramped = await openConsoleWorld(() => ({
      naming: { as: alias },
      mcpServers: { crm: { tools: ["get_leads"] } },
    }));
  });
  afterAll(() => cramped.close());

  it.each(VIEWS)("stand in red, with what to do, at $width pixels, $scheme", async (view) => {
    const { page, finish } = await cramped.open("names", view);
    await pickOnly(page, /^Claude Code/);
    const row = page.locator(".matrix-row.error");
    await expect.poll(() => row.locator(".matrix-cell").innerText()).toBe("no name");
    const bad = await page.evaluate(() => {
      const probe = document.createElement("span");
      probe.style.color = "var(--bad)";
      document.body.append(probe);
      const { color } = getComputedStyle(probe);
      probe.remove();
      return color;
    });
    const colorOf = (selector: string) =>
      row.locator(selector).evaluate((element) => getComputedStyle(element).color);
    expect([await colorOf("a"), await colorOf(".matrix-cell .bad-text")]).toEqual([bad, bad]);
    expect(await row.locator("a").getAttribute("title")).toContain("under a shorter name");
    await page.locator(".problems.bad summary").click();
    // Of the client that is picked, and of no other.
    await expect
      .poll(() => page.locator(".problems li.error").allInnerTexts())
      .toEqual([expect.stringMatching(/^Claude Code .*under a shorter name/)]);
    await finish();
  });
});

describe("many names (CON-1)", () => {
  const count = 3_000;
  let large: ConsoleWorld;
  beforeAll(async () => {
    const tools = Array.from({ length: count }, (_, index) => `tool_${String(index).padStart(4, "0")}`);
    large = await openConsoleWorld(() => ({ mcpServers: { many: { tools } } }));
  });
  afterAll(() => large.close());

  it.each(VIEWS)(
    "are in the page only as far as they are in sight, at $width pixels, $scheme",
    async (view) => {
      const { page, finish } = await large.open("names", view);
      const rows = page.locator(".matrix-row");
      await rows.first().waitFor();
      expect(await page.locator(".matrix").getAttribute("aria-rowcount")).toBe(String(count + 1));
      expect(await rows.count()).toBeLessThan(60);
      // By keyboard, to the end, once all names are there.
      const waiting = page.locator(".matrix-client .dim", { hasText: /^…$/ });
      await expect.poll(() => waiting.count()).toBe(0);
      await page.locator(".matrix").focus();
      await page.keyboard.press("End");
      await rowOf(page, "many@1/tool_2999@1").waitFor();
      expect(await rows.count()).toBeLessThan(60);
      expect(await rowOf(page, "many@1/tool_0000@1").count()).toBe(0);
      await page.keyboard.press("Home");
      await rowOf(page, "many@1/tool_0000@1").waitFor();
      await search(page).fill("tool_1234");
      await expect.poll(() => rows.count()).toBe(1);
      await finish();
    },
  );
});
