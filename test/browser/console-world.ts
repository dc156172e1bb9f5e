// A gateway with real servers, one of them hostile, and a browser that notes whatever goes wrong in the page.

import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import type { RunningOnym } from "../gateway/harness.js";
import { createStage, type Stage } from "../gateway/harness-boxes.js";
import { askModern, type RawAnswer, type RawRequest } from "../gateway/harness-raw.js";
import { findChromium } from "./find-chromium.mjs";

export const MARKUP = '<img src=x onerror="document.title=1">';
const HOSTILE = [
  { name: "plain", description: `${MARKUP}<script>document.title = "pwned"</script>` },
  { name: "turned\u202etxet", description: "right\u202eto left \u2066isolated\u2069" },
  { name: `endless_${"m".repeat(10_000)}`, description: "a name of ten thousand characters" },
  { name: `long_${"x".repeat(900)}`, description: "word ".repeat(2_000) },
  { name: "emoji_😀_👩‍👩‍👧", description: "🎉".repeat(500) },
  { name: MARKUP, description: "a name that is markup" },
].map((tool) => ({ ...tool, inputSchema: { type: "object" } }));

export const VIEWS = [
  { width: 1440, height: 900, scheme: "light" },
  { width: 1440, height: 900, scheme: "dark" },
  { width: 390, height: 844, scheme: "light" },
  { width: 390, height: 844, scheme: "dark" },
] as const;

export type View = (typeof VIEWS)[number];

export interface ConsoleWorld {
  readonly stage: Stage;
  readonly onym: RunningOnym;
  readonly browser: Browser;
  /** A page that is signed in as an operator. */
  readonly open: (path: string, view?: View) => Promise<Opened>;
  readonly call: (name: string, more?: Partial<RawRequest>) => Promise<RawAnswer>;
  readonly close: () => Promise<void>;
}

interface Opened {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors of the console, failed scripts, requests to anybody else. */
  readonly troubles: string[];
  /** Nothing went wrong, and nothing is wider than the screen. */
  readonly finish: () => Promise<void>;
}

/** @param configOf Where a page needs another gateway than the usual one; `undefined` for the bundled demo. */
export async function openConsoleWorld(
  configOf: (stage: Stage) => object | undefined = usualConfig,
): Promise<ConsoleWorld> {
  const stage = await createStage();
  const config = configOf(stage);
  const onym = await stage.start(config === undefined ? { args: ["--demo"] } : { config });
  const { executablePath, args } = await findChromium();
  const browser = await chromium.launch({ executablePath, args: [...args] });
  const [, link = ""] = await onym.said(/^console (\S+)$/m);
  const token = await signIn(onym, link);
  const origin = new URL(onym.url).origin;
  return {
    stage,
    onym,
    browser,
    async open(path, { width, height, scheme } = VIEWS[0]) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await context.addInitScript((value) => localStorage.setItem("onym-console-token", value), token);
      context.setDefaultTimeout(15_000);
      const page = await context.newPage();
      const troubles = watchPage(page, origin);
      await page.goto(`${origin}/#/${path}`);
      const finish = async () => {
        expect(troubles).toEqual([]);
        await expectNoOverflow(page);
        await context.close();
      };
      return { page, context, troubles, finish };
    },
    call: (name, more) =>
      askModern({
        url: `${onym.url}/openai`,
        method: "tools/call",
        params: { name, arguments: {} },
        ...more,
      }),
    async close() {
      await browser.close();
      await stage.close();
    },
  };
}

/** A server that must be asked about, a hostile one, one that is down, one in a toolbox. */
function usualConfig(stage: Stage): object {
  const pay = { name: "pay", description: "Pays an invoice.", inputSchema: { type: "object" } };
  const behaviours = [{ tool: "fail", fail: "isError" }] as const;
  return {
    store: "onym.db",
    mode: "dynamic",
    mcpServers: {
      bank: stage.entry({ label: "bank", tools: [pay, "balance", "fail", "secret"], behaviours }),
      hostile: stage.entry({ label: "hostile", tools: HOSTILE }),
      gone: { command: "no-such-program-anywhere" },
      crm: { tools: ["get_leads", `find_${"every_single_one_of_the_".repeat(5)}leads`] },
    },
    toolboxes: { dev: { mcpServers: { boxed: stage.entry({ label: "boxed", tools: ["build"] }) } } },
    renames: [{ from: "bank_money", to: "bank@1/balance@1" }],
    policy: {
      rules: [
        { effect: "ask", tool: "*/pay@*" },
        { effect: "deny", tool: "*/secret@*" },
      ],
    },
  };
}

export async function expectNoOverflow(page: Page): Promise<void> {
  const excess = await page.evaluate(() => {
    const content = document.getElementById("content") ?? document.body;
    return [document.documentElement.scrollWidth - innerWidth, content.scrollWidth - content.clientWidth];
  });
  expect(Math.max(...excess)).toBeLessThanOrEqual(0);
}

async function signIn({ url }: RunningOnym, link: string): Promise<string> {
  const answer = await fetch(new URL("/console/api/session", url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key: link.split("#key=")[1] }),
  });
  return ((await answer.json()) as { readonly token: string }).token;
}

export function watchPage(page: Page, origin: string): string[] {
  const troubles: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") troubles.push(message.text());
  });
  page.on("pageerror", (error) => troubles.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`)) troubles.push(`asked ${request.url()}`);
  });
  return troubles;
}

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** What axe finds that keeps people out. */
export async function findBarriers(context: BrowserContext, page: Page): Promise<readonly string[]> {
  const { readFileSync } = await import("node:fs");
  // Through the debugger: the page itself lets no other script in.
  const session = await context.newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => JSON.stringify(
      violations.filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, help, nodes }) => id + ": " + help + " " + nodes.slice(0, 3).map(({ html }) => html.slice(0, 160)).join(" | "))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  return JSON.parse(String(result.value));
}
