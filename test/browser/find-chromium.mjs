// A Chromium for the tests: one that is named or installed, else Debian's where this process may install it, else the one that an
// npm package brings along.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/** The tests may run as root, and in containers with a small /dev/shm. */
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage"];
const INSTALL_MS = 300_000;
const WHAT_TO_DO =
  "Run npm ci --prefix test/browser, or apt-get install chromium, or name one: CHROMIUM=/path/to/it.";

/** @throws Error that says what to do, where there is none. */
export async function findChromium() {
  const { CHROMIUM } = process.env;
  if (CHROMIUM !== undefined) {
    if (!runs(CHROMIUM)) throw new Error(`CHROMIUM=${CHROMIUM} does not run. Name one that does.`);
    return { executablePath: CHROMIUM, args: ARGS };
  }
  const executablePath = findInstalled() ?? installFromDebian() ?? (await unpackFromNpm());
  if (executablePath === undefined) throw new Error(`There is no Chromium here. ${WHAT_TO_DO}`);
  return { executablePath, args: ARGS };
}

function findInstalled() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  const onPath = folders.flatMap((folder) => NAMES.map((name) => join(folder, name)));
  return [...onPath, ...ofPlaywright()].find((path) => existsSync(path) && runs(path));
}

function ofPlaywright() {
  const folder = join(homedir(), ".cache/ms-playwright");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name, "chrome-linux/chrome"));
}

/** Root on Debian may install packages; anybody else is not asked for a password. */
function installFromDebian() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return undefined;
  console.error("There is no Chromium: apt-get install chromium");
  const args = ["install", "-y", "--no-install-recommends", "chromium"];
  const { status } = spawnSync("apt-get", args, { stdio: "ignore", timeout: INSTALL_MS });
  return status === 0 ? findInstalled() : undefined;
}

/** Its own arguments are for Lambda: one process for all, which ends with the first page, and no same-origin policy. */
async function unpackFromNpm() {
  const packed = await import("@sparticuz/chromium").catch(() => undefined);
  const path = await packed?.default.executablePath().catch(() => undefined);
  return path !== undefined && runs(path) ? path : undefined;
}

/** Also not where a library is missing. */
function runs(path) {
  return spawnSync(path, ["--version"], { stdio: "ignore", timeout: 60_000 }).status === 0;
}
