// Signing in to a server from the Servers page: a real authorization server, a real redirect, in the browser (CON-1).

import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningOnym } from "../gateway/harness.js";
import { createStage, type Stage } from "../gateway/harness-boxes.js";
import { runCli } from "../gateway/harness-cli.js";
import { type AuthorizationServer, serveAuthorization } from "../servers/serve-authorization.js";
import { type GuardedServer, serveGuarded } from "../servers/serve-guarded.js";
import { expectNoOverflow, VIEWS, watchPage } from "./console-world.js";
import { findChromium } from "./find-chromium.mjs";

let stage: Stage;
let issuer: AuthorizationServer;
let crms: readonly GuardedServer[];
let onym: RunningOnym;
let browser: Browser;

beforeAll(async () => {
  stage = await createStage();
  issuer = await serveAuthorization();
  const behind = await stage.control.startHttp({ label: "crm", tools: ["get_leads"] });
  // One for each view: whoever has signed in to one need not do so again.
  crms = await Promise.all(VIEWS.map(() => serveGuarded(behind.url, issuer)));
  const mail = stage.entry({ label: "mail", tools: ["send"] });
  onym = await stage.start({
    config: {
      store: "onym.db",
      mcpServers: {
        ...Object.fromEntries(crms.map(({ url }, at) => [`crm${at}`, { url }])),
        mail: { ...mail, env: { KEY: `\${MAIL_KEY_THAT_NOBODY_SET}` } },
      },
    },
  });
  for (const at of VIEWS.keys()) await onym.said(new RegExp(`down +crm${at}`));
  const { executablePath, args } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args] });
});
afterAll(async () => {
  await browser.close();
  await stage.close();
  for (const crm of crms) await crm.close();
  await issuer.close();
});

it.each(VIEWS.map((view, at) => [view.width, view.scheme, at, view] as const))(
  "has a button that leads to the authorization server and back; the server then comes up by itself, at %i pixels, %s",
  async (_, __, at, { width, height, scheme }) => {
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme });
    const page = await context.newPage();
    const troubles = watchPage(page, new URL(onym.url).origin);
    await page.goto(await issueLink(onym));
    await page.locator("nav a", { hasText: "Servers" }).click();
    // What is missing is said, too.
    const mail = page.getByRole("article", { name: "Server mail" });
    await expect.poll(() => mail.innerText()).toContain("MAIL_KEY_THAT_NOBODY_SET");
    expect(await mail.getByRole("button", { name: "Sign in" }).count()).toBe(0);

    const card = page.getByRole("article", { name: `Server crm${at}` });
    await card.getByRole("button", { name: "Sign in" }).click();
    const opened = context.waitForEvent("page");
    await card.getByRole("link", { name: `Continue at ${new URL(issuer.issuer).host}` }).click();
    const other = await opened;
    await expect.poll(() => other.innerText("body")).toContain("You can close this window");
    await expect.poll(() => card.innerText()).toContain("ready");
    expect(await card.innerText()).toContain("1 tool");
    expect(await card.getByRole("button", { name: "Sign in" }).count()).toBe(0);
    await expectNoOverflow(page);
    expect(troubles).toEqual([]);
    await context.close();
  },
);

/** As `onym status` prints it. */
async function issueLink({ dir }: RunningOnym): Promise<string> {
  const { out } = await runCli({ dir }, "status", "--config", "onym.json");
  return /^console (\S+)$/m.exec(out)?.[1] ?? "";
}
