// Connect: the exact registration for a client, with its token where there is one, or the command that writes it (CON-1).

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ONYM_BIN, onymEnvironment } from "../../gateway/harness.js";
import { connectV2 } from "../../gateway/harness-clients.js";
import { entryOf, tokenOf } from "../../gateway/harness-console.js";
import { type ConsoleWorld, openConsoleWorld, VIEWS } from "../console-world.js";

const ANN = tokenOf("a");

let world: ConsoleWorld;
let guarded: ConsoleWorld;
let demo: ConsoleWorld;
beforeAll(async () => {
  world = await openConsoleWorld((stage) => ({
    mcpServers: { shop: stage.entry({ label: "shop", tools: ["buy"] }) },
  }));
  guarded = await openConsoleWorld((stage) => ({
    auth: { tokens: [entryOf("ann", ANN)] },
    mcpServers: { shop: stage.entry({ label: "guarded-shop", tools: ["buy"] }) },
  }));
  demo = await openConsoleWorld(() => undefined);
});
afterAll(async () => {
  await world.close();
  await demo.close();
  await guarded.close();
});

async function choose(page: Page, title: string): Promise<void> {
  await page.getByRole("searchbox", { name: "Search clients" }).fill(title);
  await page.getByRole("radio", { name: title, exact: true }).check();
  await page.getByRole("heading", { name: `Onym in ${title}` }).waitFor();
}

async function copy(page: Page, way: string): Promise<string> {
  const box = page.locator(".way", { hasText: way }).first();
  await box.getByRole("button").click();
  await box.getByRole("button", { name: "Copied" }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The address and headers of the one server in a registration. */
function readEntry(text: string): { readonly url: string; readonly headers?: Record<string, string> } {
  const { mcpServers } = JSON.parse(text) as {
    mcpServers: Record<string, { url: string; headers?: Record<string, string> }>;
  };
  expect(Object.keys(mcpServers)).toEqual(["onym"]);
  return mcpServers["onym"] ?? { url: "" };
}

describe.each(VIEWS)("connect at $width pixels, $scheme (CON-1)", (view) => {
  it("copies a registration that a client connects with, for the client that is chosen", async () => {
    const { page, finish } = await world.open("connect", view);
    await choose(page, "Cursor");
    const { url } = readEntry(await copy(page, "It connects to this gateway"));
    expect(url).toBe(`${world.onym.url}/cursor`);
    const client = await connectV2({ url });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("shop_buy");
    await client.close();
    expect(await copy(page, "It starts Onym itself")).toContain(join(world.onym.dir, "onym.json"));
    await choose(page, "Codex");
    expect(await copy(page, "It connects to this gateway")).toContain(`${world.onym.url}/codex`);
    expect(await page.locator("#content").innerText()).toContain("Register it as onym");
    await finish();
  });

  it("puts the client's token into it where auth is on", async () => {
    const { page, finish } = await guarded.open("connect", view);
    await choose(page, "Cursor");
    expect(readEntry(await copy(page, "It connects to this gateway")).headers).toEqual({
      Authorization: "Bearer TOKEN",
    });
    await page.getByLabel("The client's token").fill(ANN);
    const { url, headers = {} } = readEntry(await copy(page, "It connects to this gateway"));
    expect(headers).toEqual({ Authorization: `Bearer ${ANN}` });
    const client = await connectV2({ url, headers });
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("shop_buy");
    await client.close();
    await finish();
  });

  it("has the command that writes it: run as it is copied, the client's own file leads to this gateway", async () => {
    const { page, finish } = await world.open("connect", view);
    await choose(page, "Cursor");
    const command = await copy(page, "Let Onym write it");
    const home = join(world.stage.folder, `home-${view.width}-${view.scheme}`);
    const file = join(home, ".cursor/mcp.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "{}");
    // In a shell, in another folder than the gateway's, with the gateway's own user state.
    const npx = `npx() { shift; "${process.execPath}" "${ONYM_BIN}" "$@"; }`;
    const child = spawn(`${npx}; ${command} --yes`, {
      shell: "/bin/sh",
      cwd: home,
      env: { ...onymEnvironment(home, {}), XDG_STATE_HOME: join(world.onym.dir, ".local/state") },
      stdio: "ignore",
    });
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(readEntry(readFileSync(file, "utf8")).url).toBe(`${world.onym.url}/cursor`);
    await finish();
  });

  it("of the demo says so, and copies the command for the user's own servers", async () => {
    const { page, finish } = await demo.open("connect", view);
    await choose(page, "Claude Code");
    const text = await page.locator("#content").innerText();
    expect(text).toContain("This is the demo.");
    expect(text).not.toContain("--stdio");
    expect(await copy(page, "Connect your own servers")).toBe("npx onym connect claude-code");
    expect(await copy(page, "It connects to this demo, while it runs")).toContain(demo.onym.url);
    await choose(page, "ChatGPT");
    const hosted = await page.locator("#content").innerText();
    expect(hosted).toContain("ChatGPT runs on the web and cannot reach this demo.");
    expect(await page.locator(".way").count()).toBe(0);
    await finish();
  });
});
