// How quick the matrix is with 10,000 tools and 20 clients: time to the first view, to all columns, frames while it scrolls, memory.
// Prints; asserts nothing. npm run --silent build && node test/browser/report.mjs

import { readFileSync } from "node:fs";
import { openBrowser, startGateway } from "./open-page.mjs";

const SERVERS = 20;
const TOOLS = 500;
const CLIENTS = [
  ...[
    "claude-code",
    "cursor",
    "vscode",
    "openai",
    "gemini",
    "universal",
    "zed",
    "windsurf",
    "cline",
    "codex",
  ],
  ...[
    "goose",
    "continue",
    "gemini-cli",
    "claude-desktop",
    "anthropic",
    "bedrock",
    "kimi-cli",
    "roo-code",
    "n8n",
    "librechat",
  ],
];

const VERBS = ["get", "list", "create", "update", "delete"];
const mcpServers = Object.fromEntries(
  Array.from({ length: SERVERS }, (_, server) => [
    `service-${server}`,
    {
      tools: Array.from(
        { length: TOOLS },
        (_, tool) =>
          `${VERBS[tool % VERBS.length]}_${["invoice", "customer", "ticket", "order"][tool % 4]}_${tool}`,
      ),
    },
  ]),
);

const gateway = await startGateway({ store: "none", mcpServers });
const browser = await openBrowser();
try {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript((clients) => {
    localStorage.setItem("onym-console-clients", JSON.stringify(clients));
  }, CLIENTS);
  await page.goto(gateway.link);
  await page.waitForFunction(() => localStorage.getItem("onym-console-token") !== null);
  const answered = new Set();
  let haveAll = () => {};
  const columns = new Promise((resolve) => {
    haveAll = resolve;
  });
  page.on("response", (answer) => {
    const [, client] = /\/names\/([\w-]+)$/.exec(answer.url()) ?? [];
    if (client !== undefined) answered.add(client);
    if (answered.size === CLIENTS.length) haveAll();
  });
  const begun = Date.now();
  await page.reload();
  await page.locator(".matrix-row").first().waitFor();
  const rows = Date.now() - begun;
  await page.locator(".matrix-cell .text").first().waitFor();
  const names = Date.now() - begun;
  await columns;
  const all = Date.now() - begun;
  const frames = await page.evaluate(scroll);
  const { heap, nodes } = await page.evaluate(() => ({
    heap: performance.memory.usedJSHeapSize,
    nodes: document.querySelectorAll("*").length,
  }));
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1];
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(sorted.length * share)]?.toFixed(1);
  console.log(`${SERVERS * TOOLS} tools × ${CLIENTS.length} clients`);
  console.log(`first rows          ${rows} ms`);
  console.log(`first names         ${names} ms`);
  console.log(`all columns         ${all} ms`);
  console.log(
    `frames while it scrolls through all rows: p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, longest ${at(0.999)} ms`,
  );
  console.log(`page                ${(heap / 1e6).toFixed(1)} MB of JavaScript, ${nodes} elements`);
  console.log(`gateway             ${(Number(resident) / 1000).toFixed(0)} MB resident`);
} finally {
  await browser.close();
  await gateway.close();
}

/** From top to bottom in 200 steps, one a frame. */
function scroll() {
  const box = document.querySelector(".matrix");
  const times = [];
  return new Promise((resolve) => {
    let last = performance.now();
    const step = (now) => {
      times.push(now - last);
      last = now;
      if (times.length > 200) return resolve(times);
      box.scrollTop = (box.scrollHeight / 200) * times.length;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
}
