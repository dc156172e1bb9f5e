// A text that several servers may mean goes to none of them by chance: not while one is starting, and not while one is
// down (RES-1, GW-5).

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RunningOnym, startOnym } from "./harness.js";
import { askModern } from "./harness-raw.js";

/** Answers `initialize` once a file is there, and does not start where another is. */
const SERVER = `
  const { existsSync, watch } = require("node:fs");
  const { LABEL, OPEN, GONE } = process.env;
  if (existsSync(GONE)) process.exit(3);
  const send = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  const whenOpen = (act) => {
    if (existsSync(OPEN)) return act();
    const watcher = watch(require("node:path").dirname(OPEN), () => {
      if (!existsSync(OPEN)) return;
      watcher.close();
      act();
    });
  };
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const answers = {
    "tools/list": { tools: ["search", "die"].map((name) => ({ name, inputSchema: { type: "object" } })) },
    "prompts/list": { prompts: [{ name: "sum" }] },
    "resources/list": { resources: [{ name: "note", uri: "note://a" }] },
    "resources/templates/list": { resourceTemplates: [] },
    "tools/call": { content: [{ type: "text", text: LABEL }] },
    "prompts/get": { messages: [{ role: "user", content: { type: "text", text: LABEL } }] },
    "resources/read": { contents: [{ uri: "note://a", text: LABEL }] },
  };
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: LABEL, version: "1" };
    if (method === "initialize")
      whenOpen(() => send(id, { protocolVersion: params.protocolVersion, capabilities, serverInfo }));
    if (method === "tools/call" && params.name === "die") process.exit(4);
    if (answers[method] !== undefined) send(id, answers[method]);
  });
`;

/** Texts that both servers may mean, and one that nobody lists. */
const SHARED = [
  ["tools/call", { name: "search", arguments: {} }],
  ["prompts/get", { name: "sum" }],
  ["resources/read", { uri: "note://a" }],
] as const;
const UNLISTED = ["resources/read", { uri: "note://never-listed" }] as const;

let dir: string;
let onym: RunningOnym;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "onym-absent-"));
  writeFileSync(join(dir, "open-one"), "");
});
afterEach(async () => {
  await onym.stop();
  rmSync(dir, { recursive: true, force: true });
});

const entry = (label: string) => ({
  command: process.execPath,
  args: ["-e", SERVER],
  env: { LABEL: label, OPEN: join(dir, `open-${label}`), GONE: join(dir, `gone-${label}`) },
});

async function start(policy: object = {}): Promise<void> {
  onym = await startOnym({ dir, config: { mcpServers: { one: entry("one"), two: entry("two") }, policy } });
}

/** The second server is in a toolbox that nobody opened. */
async function startClosed(policy: object): Promise<void> {
  const toolboxes = { box: { mcpServers: { two: entry("two") } } };
  const config = { mcpServers: { one: entry("one") }, toolboxes, mode: "dynamic", ...policy };
  onym = await startOnym({ dir, config });
  await onym.said(/ready +one/);
}

const ask = (method: string, params: Readonly<Record<string, unknown>>) =>
  askModern({ url: `${onym.url}/openai`, method, params });

/** Asks for each, and returns what it came to. */
const messagesOf = (asked: readonly (readonly [string, Readonly<Record<string, unknown>>])[]) =>
  Promise.all(asked.map(async ([method, params]) => (await ask(method, params)).error?.message));

const AMBIGUOUS = ["Ambiguous tool: search", "Ambiguous prompt: sum", "Ambiguous resource: note://a"];

it("while one of them is starting: it is heard first", async () => {
  await start();
  await onym.said(/ready +one/);
  const answers = messagesOf([...SHARED, UNLISTED]);
  // The server that is up answers what is its alone meanwhile.
  expect((await ask("tools/call", { name: "one_search", arguments: {} })).text).toContain('"text":"one"');
  writeFileSync(join(dir, "open-two"), "");
  expect(await answers).toEqual([
    ...AMBIGUOUS.map((start) => expect.stringContaining(start)),
    "Resource not found: note://never-listed",
  ]);
});

/** The last hides something from every caller, and has nothing to do with what is asked for. */
const POLICIES = [
  ["without rules", {}],
  ["with a rule that hides something else", { rules: [{ effect: "deny", resource: "other://a" }] }],
] as const;

it.each(POLICIES)("while one of them is down, also after a restart of the gateway, %s", async (_, policy) => {
  writeFileSync(join(dir, "open-two"), "");
  await start(policy);
  await onym.said(/ready +one/);
  await onym.said(/ready +two/);
  await ask("tools/list", {});
  await ask("prompts/list", {});
  writeFileSync(join(dir, "gone-two"), "");
  await ask("tools/call", { name: "two_die", arguments: {} });
  await onym.said(/exited with code 3/);
  expect(await messagesOf(SHARED)).toEqual(AMBIGUOUS.map((start) => expect.stringContaining(start)));
  expect((await ask("resources/read", { uri: "onym://two/note://a" })).error?.message).toMatch(
    /^server "two" is down since/,
  );
  expect((await ask("resources/read", { uri: "onym://one/note://a" })).text).toContain('"text":"one"');
  await onym.stop();

  await start(policy);
  await onym.said(/ready +one/);
  await onym.said(/exited with code 3/);
  expect(await messagesOf([...SHARED, UNLISTED])).toEqual([
    ...AMBIGUOUS.map((start) => expect.stringContaining(start)),
    "Resource not found: note://never-listed",
  ]);
  // What is listed meanwhile is the address of one server, whoever comes back.
  const { text } = await ask("resources/list", {});
  expect(text).toContain('"uri":"onym://one/note://a"');
  expect((await ask("resources/read", { uri: "onym://one/note://a" })).text).toContain('"text":"one"');
});

it.each([
  ["without a policy", {}],
  ["with one", { policy: { default: "allow", rules: [{ effect: "deny", server: "other" }] } }],
])("while one of them is in a toolbox that was open once, and is closed: %s", async (_, policy) => {
  writeFileSync(join(dir, "open-two"), "");
  await startClosed(policy);
  // Nobody was shown anything of the other server yet.
  for (const [method, params] of SHARED) expect((await ask(method, params)).text).toContain('"text":"one"');
  expect((await ask("resources/list", {})).text).toContain('"uri":"note://a"');
  const used = await ask("tools/call", { name: "use_tool", arguments: { tool: "box__two__search" } });
  expect(used.text).toContain('"text":"two"');
  await ask("prompts/list", {});
  expect(await messagesOf(SHARED)).toEqual(AMBIGUOUS.map((start) => expect.stringContaining(start)));

  await ask("tools/call", { name: "close_toolbox", arguments: { toolbox: "box" } });
  expect(await messagesOf(SHARED)).toEqual(AMBIGUOUS.map((start) => expect.stringContaining(start)));
  await onym.stop();

  await startClosed(policy);
  expect(await messagesOf(SHARED)).toEqual(AMBIGUOUS.map((start) => expect.stringContaining(start)));
  const fromPage = { name: "search", arguments: {}, _meta: { ui: { resourceUri: "note://a" } } };
  expect((await ask("tools/call", fromPage)).error?.message).toContain("Unknown tool: search");
  // Names that clients were shown work as before.
  expect((await ask("tools/call", { name: "one_search", arguments: {} })).text).toContain('"text":"one"');
  expect((await ask("resources/list", {})).text).toContain('"uri":"onym://one/note://a"');
});
