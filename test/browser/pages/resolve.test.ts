// Resolve: any text, for a client that is chosen, step by step to its tool or the reason why not (CON-1).

import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { askModern, entriesIn } from "../../gateway/harness-raw.js";
import { type ConsoleWorld, MARKUP, openConsoleWorld, VIEWS } from "../console-world.js";

/** Cut by most clients, each to its own length. */
const LONG = `find_${"every_single_one_of_the_".repeat(5)}pages`;

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    mcpServers: {
      docs: stage.entry({ label: "docs", tools: ["search", "read", LONG] }),
      web: stage.entry({ label: "web", tools: ["search"] }),
    },
    renames: [
      { from: "docs_find", to: "docs@1/search@1" },
      { from: "docs_seek", to: "docs@1/search@1", policy: "reject" },
    ],
  }));
  await world.onym.said(/4 tools of 2 servers/);
});
afterAll(() => world.close());

const STEPS = ["public", "canonical", "alias", "spelling", "transport", "version", "case", "context"];

/** Each step with what it came to. */
async function stepsOf(page: Page): Promise<readonly (readonly [string, string])[]> {
  return page
    .locator(".step")
    .evaluateAll((steps) =>
      steps.map((step) => [
        step.querySelector("b")?.textContent ?? "",
        step.querySelector(".outcome")?.textContent ?? "",
      ]),
    ) as Promise<[string, string][]>;
}

describe.each(VIEWS)("resolve at $width pixels, $scheme (CON-1)", (view) => {
  it.each([
    ["docs_search", "public"],
    ["docs@1/search@1", "canonical"],
    ["docs_find", "alias"],
    ["mcp__onym__docs_search", "spelling"],
    ["docs%401~search%401", "transport"],
  ])("lights the steps up to the one that knows %s: %s", async (text, step) => {
    const { page, finish } = await world.open("resolve", view);
    await page.getByRole("combobox", { name: "Client" }).selectOption("openai");
    await page.getByRole("textbox", { name: "Text" }).fill(text);
    await expect.poll(() => page.locator(".step.matched b").allInnerTexts()).toEqual([step]);
    const steps = await stepsOf(page);
    expect(steps.map(([name]) => name)).toEqual(STEPS);
    const at = STEPS.indexOf(step);
    expect(steps.slice(0, at).every(([, outcome]) => outcome === "no match")).toBe(true);
    expect(steps.slice(at + 1).every(([, outcome]) => outcome === "not needed")).toBe(true);
    expect(await page.locator(".verdict.resolved").innerText()).toMatch(/→ docs@1\/search@1\s+of docs/);
    if (step === "alias") expect(await page.locator(".verdict").innerText()).toContain("deprecated");
    await page.locator(".verdict a").click();
    await page.getByRole("heading", { level: 1, name: "docs@1/search@1" }).waitFor();
    await finish();
  });

  it("says why a text leads to nothing: to nobody, to several, or not any more", async () => {
    const { page, finish } = await world.open("resolve", view);
    await page.getByRole("combobox", { name: "Client" }).selectOption("openai");
    const text = page.getByRole("textbox", { name: "Text" });
    const verdict = page.locator(".verdict");
    await text.fill("docs_serch");
    await expect
      .poll(() => verdict.innerText())
      .toMatch(/Nobody has this name[\s\S]*Did you mean: docs_search/);
    await text.fill("search");
    await expect.poll(() => verdict.innerText()).toMatch(/Two tools claim it[\s\S]*docs@1\/search@1/);
    expect(await verdict.innerText()).toContain("web@1/search@1");
    expect(await page.locator(".step.ambiguous b").innerText()).toBe("context");
    await text.fill("docs_seek");
    await expect.poll(() => verdict.innerText()).toMatch(/a name once[\s\S]*Call docs@1\/search@1 instead/);
    expect(await page.locator(".step.retired b").innerText()).toBe("alias");
    for (const hostile of [MARKUP, "\u202edocs", "x".repeat(10_000), "😀"]) {
      await text.fill(hostile);
      await expect.poll(() => page.locator(".verdict.unknown").count()).toBe(1);
    }
    expect(await page.locator("#content img").count()).toBe(0);
    await text.fill("");
    await expect.poll(() => verdict.count()).toBe(0);
    await finish();
  });

  it("goes by the client that is chosen", async () => {
    const { page, finish } = await world.open("resolve", view);
    const list = await askModern({ url: `${world.onym.url}/claude-code`, method: "tools/list" });
    const cut = entriesIn(list, "tools").find(({ name }) => name.startsWith("find_"))?.name ?? "";
    await page.getByRole("textbox", { name: "Text" }).fill(cut);
    const client = page.getByRole("combobox", { name: "Client" });
    await client.selectOption("claude-code");
    await expect.poll(() => page.locator(".step.matched b").allInnerTexts()).toEqual(["public"]);
    await client.selectOption("universal");
    await expect.poll(() => page.locator(".step.matched b").allInnerTexts()).toEqual(["spelling"]);
    await finish();
  });
});
