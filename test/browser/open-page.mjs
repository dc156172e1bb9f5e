// A gateway of its own and a page of its console that is signed in, for the scripts that measure and draw it.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { findChromium } from "./find-chromium.mjs";

const BIN = fileURLToPath(new URL("../../packages/onym/dist/bin.js", import.meta.url));

/** Starts Onym with a config; `said` waits for a line of it. */
export async function startGateway(config) {
  const folder = mkdtempSync(join(tmpdir(), "onym-console-"));
  writeFileSync(join(folder, "onym.json"), JSON.stringify(config));
  const child = spawn(process.execPath, [BIN, "serve", "--port", "0", "--config", "onym.json"], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  const waiting = new Set();
  child.stderr.setEncoding("utf8").on("data", (part) => {
    text += part;
    for (const look of waiting) look();
  });
  const said = (pattern) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text);
        if (match === null) return;
        waiting.delete(look);
        resolve(match);
      };
      waiting.add(look);
      child.once("exit", () => reject(new Error(`onym ended:\n${text}`)));
      look();
    });
  const [, url] = await said(/^onym listening on (\S+)$/m);
  const [, link] = await said(/^console (\S+)$/m);
  return {
    url,
    link,
    folder,
    pid: child.pid,
    said,
    async close() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export async function openBrowser() {
  const { executablePath, args } = await findChromium();
  return chromium.launch({ executablePath, args: [...args, "--enable-precise-memory-info"] });
}
