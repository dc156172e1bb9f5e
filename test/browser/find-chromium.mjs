// A Chromium for the tests: one that is named or installed, else the one that the package brings along.

import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
/** The tests may run as root, and in containers with a small /dev/shm. */
const ARGS = ["--no-sandbox", "--disable-dev-shm-usage"];

/** @throws Error that says what to do, where there is none. */
export async function findChromium() {
  const { CHROMIUM, PATH = "" } = process.env;
  const onPath = PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
  const found = [...(CHROMIUM === undefined ? [] : [CHROMIUM]), ...onPath, ...ofPlaywright()].find(isProgram);
  if (found !== undefined) return { executablePath: found, args: ARGS };
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    const executablePath = await packed.executablePath();
    return { executablePath, args: [...packed.args, ...ARGS] };
  } catch (cause) {
    throw new Error(
      "There is no Chromium here. Run npm ci --prefix test/browser, or apt-get install chromium, or name one: CHROMIUM=/path/to/it.",
      { cause },
    );
  }
}

function ofPlaywright() {
  const folder = join(homedir(), ".cache/ms-playwright");
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map((name) => join(folder, name, "chrome-linux/chrome"));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
