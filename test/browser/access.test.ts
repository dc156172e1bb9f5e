// Who gets into the console and what they may do there; what other pages cannot; how it goes on without its gateway (CON-1).

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningOnym } from "../gateway/harness.js";
import { ask, call, entryOf, keyOf, tokenOf } from "../gateway/harness-console.js";
import {
  type ConsoleWorld,
  expectNoOverflow,
  openConsoleWorld,
  VIEWS,
  type View,
  watchPage,
} from "./console-world.js";

const ANN = tokenOf("a");
const BOB = tokenOf("b");

let world: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    mcpServers: { bank: stage.entry({ label: "bank", tools: ["pay", "balance"] }) },
  }));
  await world.onym.said(/ready +bank/);
});
afterAll(() => world.close());

/** A browser that has never been here. */
async function stranger(view: View = VIEWS[0]): Promise<{ context: BrowserContext; page: Page }> {
  const { width, height, scheme } = view;
  const context = await world.browser.newContext({ viewport: { width, height }, colorScheme: scheme });
  context.setDefaultTimeout(15_000);
  return { context, page: await context.newPage() };
}

async function pasteToken(page: Page, { url }: RunningOnym, token: string): Promise<void> {
  await page.goto(`${new URL(url).origin}/`);
  await page.getByLabel("Or paste the link").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Names" }).waitFor();
}

describe.each(VIEWS)("access at $width pixels, $scheme (CON-1)", (view) => {
  it("is by a link that works once, and ends with signing out", async () => {
    const onym = await world.stage.start({ config: { mcpServers: { crm: { tools: ["get_leads"] } } } });
    const [, link = ""] = await onym.said(/^console (\S+)$/m);
    const first = await stranger(view);
    const troubles = watchPage(first.page, new URL(onym.url).origin);
    await first.page.goto(link);
    await first.page.getByRole("link", { name: "crm@1/get_leads@1" }).waitFor();
    expect(first.page.url()).not.toContain("key=");
    expect(await first.context.cookies()).toEqual([]);
    await expectNoOverflow(first.page);
    expect(troubles).toEqual([]);

    const second = await stranger(view);
    await second.page.goto(link);
    await expect
      .poll(() => second.page.getByRole("alert").innerText())
      .toContain("This link was used already");
    await expectNoOverflow(second.page);

    const token = await first.page.evaluate(() => localStorage.getItem("onym-console-token") ?? "");
    expect((await ask(onym, "me", { token })).status).toBe(200);
    const ended = first.page.waitForResponse((answer) => answer.url().endsWith("/sign-out"));
    await first.page.getByRole("button", { name: "Sign out" }).click();
    await first.page.getByRole("button", { name: "Sign in" }).waitFor();
    await ended;
    expect((await ask(onym, "me", { token })).status).toBe(401);
    expect(await first.page.evaluate(() => localStorage.getItem("onym-console-token"))).toBeNull();
    await first.context.close();
    await second.context.close();
    await onym.stop();
  });

  it("by a caller's own token shows what that caller may see, and changes nothing", async () => {
    const label = `rights-${view.width}-${view.scheme}`;
    const onym = await world.stage.start({
      config: {
        store: "onym.db",
        auth: { tokens: [entryOf("ann", ANN), entryOf("bob", BOB)] },
        mcpServers: { mail: world.stage.entry({ label, tools: ["send", "read", "wipe"] }) },
        policy: {
          rules: [
            { effect: "ask", tool: "*/send@*" },
            { effect: "deny", tool: "*/wipe@*", caller: "bob" },
          ],
        },
      },
    });
    await onym.said(/ready +mail/);
    for (const token of [ANN, BOB])
      for (const name of ["mail_read", "mail_send"])
        await call(onym, name, { authorization: `Bearer ${token}` });
    const { page, context } = await stranger(view);
    const troubles = watchPage(page, new URL(onym.url).origin);
    await pasteToken(page, onym, BOB);
    await page.getByText("read-only").waitFor();
    const tools = page.locator(".matrix-row .matrix-tool");
    await expect.poll(() => tools.allInnerTexts()).toEqual(["mail@1/read@1", "mail@1/send@1"]);
    await page.getByRole("link", { name: "Calls" }).click();
    const callers = page.locator("table.calls tbody tr td:nth-child(2)");
    await expect.poll(async () => (await callers.allInnerTexts()).length).toBe(2);
    expect((await callers.allInnerTexts()).every((text) => text.startsWith("bob"))).toBe(true);
    await page.getByRole("link", { name: "Approvals" }).click();
    const questions = page.locator("article.question");
    await expect.poll(() => questions.count()).toBe(1);
    expect(await questions.innerText()).toMatch(/asked by bob[\s\S]*Only an operator decides\./);
    expect(await questions.getByRole("button").count()).toBe(0);
    await page.getByRole("link", { name: "Servers" }).click();
    await page.locator("article.server").first().waitFor();
    expect(await page.locator("#content").getByRole("button").count()).toBe(0);
    await expectNoOverflow(page);
    expect(troubles).toEqual([]);
    await context.close();
    await onym.stop();
  });

  it("where the config says read-only shows everything, and changes nothing", async () => {
    const label = `still-${view.width}-${view.scheme}`;
    const onym = await world.stage.start({
      config: {
        console: "read-only",
        store: "onym.db",
        mode: "dynamic",
        mcpServers: { mail: world.stage.entry({ label, tools: ["send"] }) },
        toolboxes: { dev: { mcpServers: { crm: { tools: ["get_leads"] } } } },
        policy: { rules: [{ effect: "ask", tool: "*/send@*" }] },
      },
    });
    await onym.said(/ready +mail/);
    await call(onym, "mail_send");
    const [, link = ""] = await onym.said(/^console (\S+)$/m);
    const { page, context } = await stranger(view);
    await page.goto(link);
    await page.getByText("read-only").waitFor();
    await page.getByRole("link", { name: "Servers" }).click();
    await page.getByText("dev").first().waitFor();
    expect(await page.locator("#content").getByRole("button").count()).toBe(0);
    await page.getByRole("link", { name: "Approvals" }).click();
    await page.locator("article.question").waitFor();
    expect(await page.locator("article.question").getByRole("button").count()).toBe(0);
    await expectNoOverflow(page);
    await context.close();
    await onym.stop();
  });

  it("goes on once the gateway is back: it says so meanwhile, and asks who is there", async () => {
    const config = { mcpServers: { crm: { tools: ["get_leads"] } } };
    const onym = await world.stage.start({ config });
    const [, link = ""] = await onym.said(/^console (\S+)$/m);
    const { page, context } = await stranger(view);
    await page.goto(link);
    await page.getByRole("link", { name: "crm@1/get_leads@1" }).waitFor();
    await onym.stop();
    await expect
      .poll(() => page.locator(".banner").innerText())
      .toBe("The gateway does not answer. Trying again…");
    // What was there is still to be read.
    expect(await page.getByRole("link", { name: "crm@1/get_leads@1" }).count()).toBe(1);
    await expectNoOverflow(page);
    const again = await world.stage.start({ config, args: ["--port", new URL(onym.url).port] });
    // Sessions end with the process.
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    const [, next = ""] = await again.said(/^console (\S+)$/m);
    await page.goto(next);
    await page.getByRole("link", { name: "crm@1/get_leads@1" }).waitFor();
    expect(await page.locator(".banner").innerText()).toBe("");
    await context.close();
    await again.stop();
  });
});

describe("without a console (CON-1)", () => {
  it("a browser gets what a script gets, and no link is printed", async () => {
    const onym = await world.stage.start({ config: { console: false, mcpServers: {} } });
    const { page, context } = await stranger();
    const answer = await page.goto(new URL("/", onym.url).href);
    expect(answer?.headers()["content-type"]).toContain("json");
    expect(JSON.parse(await page.locator("body").innerText())).toMatchObject({ name: "onym" });
    expect(onym.stderr()).not.toMatch(/^console /m);
    await context.close();
    await onym.stop();
  });
});

describe("a page of somebody else (CON-1)", () => {
  let site: Server;
  let origin: string;
  const asked: string[] = [];
  beforeAll(async () => {
    site = createServer((req, res) => {
      asked.push(req.url ?? "");
      const to = new URL("/", world.onym.url).href;
      res.setHeader("content-type", "text/html");
      res.end(req.url === "/frame" ? `<iframe src="${to}"></iframe>` : "<h1>elsewhere</h1>");
    });
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    site.closeAllConnections();
    site.close();
  });

  /** As the page of that origin, whatever it may read of the answer: the status that the gateway gave. */
  async function statusOf(page: Page, path: string, init: RequestInit): Promise<number | undefined> {
    const url = new URL(`/console/api/${path}`, world.onym.url).href;
    const answer = page.waitForResponse(
      (response) => response.url() === url && response.request().method() !== "OPTIONS",
    );
    await page.evaluate(([to, how]) => fetch(to, how).catch(() => undefined), [url, init] as const);
    return (await answer).status();
  }

  it("cannot act in it: not by a simple request, and not by a form", async () => {
    const { page, context } = await stranger();
    await page.goto(origin);
    const starts = world.stage.starts("bank");
    const body = JSON.stringify({ server: "bank" });
    expect(await statusOf(page, "servers/restart", { method: "POST", mode: "no-cors", body })).toBe(403);
    expect(await statusOf(page, "me", { mode: "no-cors" })).toBe(403);
    // Nor use up a link, which would lock the operator out.
    const key = await keyOf(world.onym);
    const signIn = { method: "POST", mode: "no-cors" as const, body: JSON.stringify({ key }) };
    expect(await statusOf(page, "session", signIn)).toBe(403);
    const action = new URL("/console/api/servers/restart", world.onym.url).href;
    const navigated = page.waitForResponse((response) => response.url() === action);
    await page.evaluate((to) => {
      const form = Object.assign(document.createElement("form"), { method: "POST", action: to });
      document.body.append(form);
      form.submit();
    }, action);
    expect((await navigated).status()).toBe(403);
    expect(world.stage.starts("bank")).toBe(starts);
    await context.close();
  });

  it("cannot act in it with a token that it stole: the browser asks first, and is told no", async () => {
    const opened = await world.open("servers");
    const token = await opened.page.evaluate(() => localStorage.getItem("onym-console-token") ?? "");
    await opened.finish();
    const { page, context } = await stranger();
    await page.goto(origin);
    const outcome = await page.evaluate(
      async ([to, bearer]) => {
        const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
        const body = JSON.stringify({ server: "bank" });
        return fetch(to, { method: "POST", headers, body }).then(
          ({ status }) => String(status),
          () => "blocked",
        );
      },
      [new URL("/console/api/servers/restart", world.onym.url).href, token] as const,
    );
    expect(outcome).toBe("blocked");
    expect(world.stage.starts("bank")).toBe(1);
    await context.close();
  });

  it("cannot show it in a frame, and gets no request from it, whatever is put into it", async () => {
    const { page, context } = await stranger();
    await page.goto(`${origin}/frame`);
    const [frame] = page.frames().slice(1);
    await expect.poll(() => frame?.url()).toContain("chrome-error");
    asked.length = 0;
    const opened = await world.open("names");
    await opened.page.locator(".matrix-row").first().waitFor();
    const refused = await opened.page.evaluate(async (elsewhere) => {
      const told: string[] = [];
      document.addEventListener("securitypolicyviolation", (event) => told.push(event.effectiveDirective));
      const seen = (directive: string) =>
        new Promise<void>((resolve) => {
          const look = () => (told.includes(directive) ? resolve() : requestAnimationFrame(look));
          look();
        });
      document.body.append(Object.assign(new Image(), { src: `${elsewhere}/image` }));
      await seen("img-src");
      await fetch(`${elsewhere}/fetched`).catch(() => undefined);
      await seen("connect-src");
      document.body.append(
        Object.assign(document.createElement("link"), { rel: "stylesheet", href: `${elsewhere}/style` }),
      );
      await seen("style-src-elem");
      try {
        document.body.innerHTML = "<b>inserted</b>";
      } catch {
        told.push("markup");
      }
      return told;
    }, origin);
    expect(new Set(refused)).toEqual(new Set(["img-src", "connect-src", "style-src-elem", "markup"]));
    // The other page's own icon is nothing that the console asked for.
    expect(asked.filter((path) => path !== "/favicon.ico")).toEqual([]);
    await opened.context.close();
    await context.close();
  });
});
