// Signing in to a server from the Servers page: a real authorization server, a real redirect, in the browser (CON-1).

import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { RunningOnym } from "../gateway/harness.js";
import { createStage, type Stage } from "../gateway/harness-boxes.js";
import { type AuthorizationServer, serveAuthorization } from "../servers/serve-authorization.js";
import { type GuardedServer, serveGuarded } from "../servers/serve-guarded.js";
import { findChromium } from "./find-chromium.mjs";

let stage: Stage;
let issuer: AuthorizationServer;
let crm: GuardedServer;
let onym: RunningOnym;
let browser: Browser;

beforeAll(async () => {
  stage = await createStage();
  issuer = await serveAuthorization();
  const behind = await stage.control.startHttp({ label: "crm", tools: ["get_leads"] });
  crm = await serveGuarded(behind.url, issuer);
  const mail = stage.entry({ label: "mail", tools: ["send"] });
  onym = await stage.start({
    config: {
      store: "onym.db",
      mcpServers: { crm: { url: crm.url }, mail: { ...mail, env: { KEY: `\${MAIL_KEY_THAT_NOBODY_SET}` } } },
    },
  });
  await onym.said(/down +crm/);
  const { executablePath, args } = await findChromium();
  browser = await chromium.launch({ executablePath, args: [...args] });
});
afterAll(async () => {
  await browser.close();
  await stage.close();
  await crm.close();
  await issuer.close();
});

it("has a button that leads to the authorization server and back; the server then comes up by itself", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  const [, link = ""] = await onym.said(/^console (\S+)$/m);
  await page.goto(link);
  await page.locator("nav a", { hasText: "Servers" }).click();
  // What is missing is said, too.
  const mail = page.getByRole("article", { name: "Server mail" });
  await expect.poll(() => mail.innerText()).toContain("MAIL_KEY_THAT_NOBODY_SET");
  expect(await mail.getByRole("button", { name: "Sign in" }).count()).toBe(0);

  const card = page.getByRole("article", { name: "Server crm" });
  await card.getByRole("button", { name: "Sign in" }).click();
  const opened = context.waitForEvent("page");
  await card.getByRole("link", { name: `Continue at ${new URL(issuer.issuer).host}` }).click();
  const other = await opened;
  await expect.poll(() => other.innerText("body")).toContain("You can close this window");
  await expect.poll(() => card.innerText()).toContain("ready");
  expect(await card.innerText()).toContain("1 tool");
  expect(await card.getByRole("button", { name: "Sign in" }).count()).toBe(0);
  await context.close();
});
