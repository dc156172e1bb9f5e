// How quick the matrix is with 10,000 tools and 20 clients: time to the first view, to all columns, frames while it scrolls, memory.
// Prints, and writes test/browser/results/report.md; asserts nothing. npm run --silent build && node test/browser/report.mjs

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { openBrowser, startGateway } from "./open-page.mjs";

const SERVERS = 20;
const TOOLS = 500;
/** The first six are what everybody sees who picks nothing. */
const CLIENTS =
  "claude-code cursor vscode openai gemini universal zed windsurf cline codex goose continue gemini-cli claude-desktop anthropic bedrock kimi-cli roo-code n8n librechat".split(
    " ",
  );
const VERBS = ["get", "list", "create", "update", "delete"];
const THINGS = ["invoice", "customer", "ticket", "order"];
const STEPS = 200;

const nameOf = (tool) => `${VERBS[tool % VERBS.length]}_${THINGS[tool % THINGS.length]}_${tool}`;
const tools = Array.from({ length: TOOLS }, (_, tool) => nameOf(tool));
const mcpServers = Object.fromEntries(
  Array.from({ length: SERVERS }, (_, server) => [`service-${server}`, { tools }]),
);

const gateway = await startGateway({ store: "none", mcpServers });
const browser = await openBrowser();
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await page.addInitScript((clients) => {
    localStorage.setItem("onym-console-clients", JSON.stringify(clients));
  }, CLIENTS);
  await page.goto(gateway.link);
  await page.waitForFunction(() => localStorage.getItem("onym-console-token") !== null);
  const first = await measureLoad(page);
  const again = await measureLoad(page);
  const wheel = await measureScroll(context, page, 100);
  const jumps = await measureScroll(context, page, undefined);
  const typed = await measureSearch(page);
  const { heap, nodes } = await page.evaluate(() => ({
    heap: performance.memory.usedJSHeapSize,
    nodes: document.querySelectorAll("*").length,
  }));
  const resident = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1];
  print([
    ["first rows on screen", `${first.rows} ms`, `${again.rows} ms the second time`],
    ["first names on screen", `${first.names} ms`, `${again.names} ms the second time`],
    [`all ${CLIENTS.length} columns there`, `${first.all} ms`, `${again.all} ms the second time`],
    ...describeScroll("scrolling 3 rows a frame", wheel),
    ...describeScroll("jumping 50 rows a frame", jumps),
    ["search to its rows", `${typed} ms`, "one word, typed at once"],
    ["page", `${(heap / 1e6).toFixed(1)} MB`, `of JavaScript; ${nodes} elements`],
    ["gateway", `${(Number(resident) / 1000).toFixed(0)} MB`, "resident"],
  ]);
} finally {
  await browser.close();
  await gateway.close();
}

/** Loads the page anew; the columns come one after the other. */
async function measureLoad(page) {
  const answered = new Set();
  let haveAll = () => {};
  const columns = new Promise((resolve) => {
    haveAll = resolve;
  });
  const note = (answer) => {
    const [, client] = /\/names\/([\w-]+)$/.exec(answer.url()) ?? [];
    if (client !== undefined) answered.add(client);
    if (answered.size === CLIENTS.length) haveAll();
  };
  page.on("response", note);
  const begun = performance.now();
  const sinceThen = () => Math.round(performance.now() - begun);
  await page.reload();
  await page.locator(".matrix-row").first().waitFor();
  const rows = sinceThen();
  await page.locator(".matrix-cell .text").first().waitFor();
  const names = sinceThen();
  await columns;
  page.off("response", note);
  return { rows, names, all: sinceThen() };
}

async function measureSearch(page) {
  const begun = performance.now();
  await page.getByRole("searchbox", { name: "Search tools and names" }).fill("delete_order_499");
  await page.waitForFunction(() => document.querySelectorAll(".matrix-row").length <= 20);
  return Math.round(performance.now() - begun);
}

async function measureScroll(context, page, px) {
  const cpu = await readCpu(context, page);
  const frames = await page.evaluate(scroll, { steps: STEPS, px });
  return { frames, spent: cpu.minus(await cpu.now()) };
}

function describeScroll(what, { frames, spent }) {
  const each = (name) => (spent[name] / STEPS).toFixed(1);
  const layout = ((spent.LayoutDuration + spent.RecalcStyleDuration) / STEPS).toFixed(1);
  return [
    [what, `${at(frames, 0.5)} ms`, `p95 ${at(frames, 0.95)} ms, longest ${at(frames, 1)} ms`],
    [
      "its CPU",
      `${each("TaskDuration")} ms`,
      `script ${each("ScriptDuration")}, style and layout ${layout} ms`,
    ],
  ];
}

/** The page's main thread, in ms of CPU: what others do on this machine is not in it. */
async function readCpu(context, page) {
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const now = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value * 1000]));
  };
  const begun = await now();
  return {
    now,
    minus: (later) =>
      Object.fromEntries(Object.entries(later).map(([name, value]) => [name, value - begun[name]])),
  };
}

/** One step a frame: so many pixels, or from top to bottom, so that every frame shows other rows. */
function scroll({ steps, px }) {
  const box = document.querySelector(".matrix");
  const step = px ?? box.scrollHeight / steps;
  const times = [];
  box.scrollTop = 0;
  return new Promise((resolve) => {
    let last = performance.now();
    const next = (now) => {
      times.push(now - last);
      last = now;
      if (times.length > steps) return resolve(times);
      box.scrollTop = step * times.length;
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  });
}

function at(times, share) {
  const sorted = times.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))].toFixed(1);
}

function print(lines) {
  const title = `${(SERVERS * TOOLS).toLocaleString("en")} tools × ${CLIENTS.length} clients`;
  const where = `Chromium ${browser.version()}, ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}, Node ${process.versions.node}, ${new Date().toISOString().slice(0, 10)}`;
  console.log(`${title}\n${where}\n`);
  for (const [what, value, more] of lines) console.log(`${what.padEnd(26)} ${value.padStart(10)}  ${more}`);
  const folder = new URL("./results/", import.meta.url);
  mkdirSync(folder, { recursive: true });
  const widths = [0, 1, 2].map((place) => Math.max(5, ...lines.map((line) => line[place].length)));
  const row = ([what, value, more]) =>
    `| ${what.padEnd(widths[0])} | ${value.padStart(widths[1])} | ${more.padEnd(widths[2])} |`;
  const rule = `| ${"-".repeat(widths[0])} | ${"-".repeat(widths[1] - 1)}: | ${"-".repeat(widths[2])} |`;
  writeFileSync(
    new URL("report.md", folder),
    [
      `# ${title} in the console`,
      "",
      "Made by `test/browser/report.mjs`.",
      "",
      `${where}.`,
      "",
      row(["what", "value", "more"]),
      rule,
      ...lines.map(row),
      "",
    ].join("\n"),
  );
}
