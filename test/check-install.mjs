// The tarballs that would be published, installed in an empty folder and used there, on every Node that is at hand: this one,
// and 22 and 24 from test/newer-node. Part of `npm run packages`. Prints one line for each check; exits 1 when one fails.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "onym-install-"));
const { version } = JSON.parse(readFileSync(join(root, "packages/onym/package.json"), "utf8"));
let failures = 0;

/** One call of a tool that there is not, on a store of its own: the gateway, its bundle and the native part of the store. */
const CONFIG = { store: "onym.db", mcpServers: { crm: { tools: ["get_leads"] } } };
const MESSAGES = [
  {
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-11-25",
      capabilities: {},
      clientInfo: { name: "check-install", version: "1" },
    },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/list" },
];

const LIBRARY = `
import { buildSnapshot } from "@onym/core";
import { buildOpenAIChatAdapter } from "@onym/core/openai";
const sources = [{ server: "salesforce", tools: ["get.leads"] }];
const [tool] = buildOpenAIChatAdapter(sources).tools();
console.log(tool.function.name, buildSnapshot(sources).resolve("salesforce%401~get.leads").tool.canonical);
`;

try {
  const warnings = npm(process.execPath, root, ["ci", "--dry-run"]).split("EBADENGINE   package").length - 1;
  check(`npm ci on Node ${process.versions.node}`, () => `${warnings} engine warnings`, "0 engine warnings");
  npm(process.execPath, root, [
    ...["pack", "--pack-destination", folder],
    ...["--workspace", "packages/core", "--workspace", "packages/onym"],
  ]);
  for (const node of findNodes()) checkNode(node);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;

function findNodes() {
  const bundled = ["node-22", "node-24"].map((name) =>
    join(root, "test/newer-node/node_modules", name, "bin/node"),
  );
  for (const path of bundled.filter((each) => !existsSync(each))) {
    console.log(`skip ${path} is not there: npm ci --prefix test/newer-node`);
  }
  return [process.execPath, ...bundled.filter((each) => existsSync(each))];
}

function checkNode(node) {
  const title = `Node ${run(node, ["--version"]).trim()}`;
  const place = join(folder, title.replaceAll(/\W/g, "-"));
  mkdirSync(place);
  npm(node, place, ["install", "--prefer-offline", join(folder, `onym-${version}.tgz`)]);
  const onym = join(place, "node_modules/onym/bin/onym.js");
  check(`${title}: onym alone prints its version`, () => run(node, [onym, "--version"]), version);
  check(
    `${title}: onym matrix --demo`,
    () => run(node, [onym, "matrix", "--demo"], { cwd: place }),
    "72 of 72 are valid",
  );
  writeFileSync(join(place, "onym.json"), JSON.stringify(CONFIG));
  const input = MESSAGES.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  check(
    `${title}: onym serve --stdio, with a store`,
    () => run(node, [onym, "serve", "--stdio", "-c", "onym.json"], { cwd: place, input }),
    "get_leads",
  );
  check(`${title}: the store is there`, () => String(existsSync(join(place, "onym.db"))), "true");
  npm(node, place, ["install", "--prefer-offline", join(folder, `onym-core-${version}.tgz`)]);
  writeFileSync(join(place, "use.mjs"), LIBRARY);
  check(
    `${title}: @onym/core beside it`,
    () => run(node, ["use.mjs"], { cwd: place }),
    "sf_get_leads salesforce@1/get.leads@1",
  );
}

/** The npm of this machine on that Node; what it says, warnings included. */
function npm(node, cwd, args) {
  const script = process.env.npm_execpath ?? run("npm", ["root", "--global"]);
  const cli = script.endsWith(".js") ? script : join(script.trim(), "npm/bin/npm-cli.js");
  return run("sh", ["-c", '"$@" 2>&1', "sh", node, cli, ...args, "--no-audit", "--no-fund"], { cwd, node });
}

function run(command, args, { cwd = root, input = "", node = command } = {}) {
  const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` };
  return execFileSync(command, args, { cwd, input, env, encoding: "utf8", stdio: "pipe" });
}

function check(title, work, expected) {
  let answer;
  try {
    answer = work();
  } catch (error) {
    answer = `${error.stdout ?? ""}${error.stderr ?? error}`;
  }
  const isFine = answer.includes(expected);
  console.log(`${isFine ? "ok  " : "FAIL"} ${title}`);
  if (isFine) return;
  failures++;
  console.log(`     expected ${expected}\n     answered ${answer.trim().replaceAll("\n", "\n     ")}`);
}
