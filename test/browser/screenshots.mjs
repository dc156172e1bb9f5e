// Pictures of the console for README and docs, from the running program with real servers: docs/images/console-*.png.
// npm run --silent build && node test/browser/screenshots.mjs

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBrowser, startGateway } from "./open-page.mjs";

const images = fileURLToPath(new URL("../../docs/images/", import.meta.url));
const require = createRequire(import.meta.url);

/** The program of an installed package. */
function program(name, ...args) {
  const manifest = require.resolve(`${name}/package.json`);
  const [entry] = Object.values(require(manifest).bin);
  return { command: process.execPath, args: [join(dirname(manifest), entry), ...args] };
}

const gateway = await startGateway({
  store: "onym.db",
  mcpServers: {
    everything: program("@modelcontextprotocol/server-everything", "stdio"),
    files: program("@modelcontextprotocol/server-filesystem", "."),
    memory: program("@modelcontextprotocol/server-memory"),
    salesforce: {
      tools: [
        "get_leads",
        "create_lead",
        "delete_every_lead_of_the_whole_organisation_and_its_daughters_for_good",
      ],
    },
    tickets: { command: "tickets-server" },
  },
  policy: { rules: [{ effect: "ask", tool: "*/write_file@*", note: "writes to the disk" }] },
});
const browser = await openBrowser();
try {
  await gateway.said(/tools of \d+ servers/);
  for (let count = 0; count < 30; count++) await call("everything_echo", { message: "hello" });
  await call("files_list_directory", { path: "." });
  await call("files_read_text_file", { path: "/etc/shadow" });
  await call("memory_read_graph");
  await call("files_write_file", { path: "notes.txt", content: "…" });
  await call("salesforce_get_lead");
  await draw();
} finally {
  await browser.close();
  await gateway.close();
}

async function draw() {
  const context = await browser.newContext({ viewport: { width: 1280, height: 760 }, colorScheme: "light" });
  const page = await context.newPage();
  await page.goto(gateway.link);
  await page.waitForFunction(() => localStorage.getItem("onym-console-token") !== null);
  const origin = new URL(gateway.url).origin;
  const show = async (path, wanted, work = async () => {}) => {
    await page.goto("about:blank");
    await page.goto(`${origin}/#/${path}`);
    await page.locator(wanted).first().waitFor();
    await work();
    await page.screenshot({ path: join(images, `console-${path}.png`) });
  };
  await show("names", ".matrix-cell .text", () => page.waitForLoadState("networkidle"));
  await show("calls", "table.calls tbody tr", () => page.locator("table.calls button.link").nth(3).click());
  await show("approvals", "article.question");
  await context.close();
}

function call(name, args = {}) {
  const meta = "io.modelcontextprotocol/";
  return fetch(`${gateway.url}/openai`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: args,
        _meta: {
          [`${meta}protocolVersion`]: "2026-07-28",
          [`${meta}clientCapabilities`]: {},
          [`${meta}clientInfo`]: { name: "assistant", version: "1.0.0" },
        },
      },
    }),
  }).then((answer) => answer.text());
}
