// `npm start` ends with npm: whoever kills it leaves no gateway behind.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { onymEnvironment } from "./gateway/harness.js";
import { projectRoot, readProjectFile } from "./project-files.js";

const folder = mkdtempSync(join(tmpdir(), "onym-start-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.skipIf(process.platform === "win32")("npm start ends its gateway when it is killed", async () => {
  const { start } = JSON.parse(readProjectFile("package.json")).scripts;
  // The program is built, and must not be built again under other tests.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start, build: "node -e 0" } }));
  writeFileSync(join(folder, "onym.json"), '{"mcpServers": {"docs": {"tools": ["read"]}}}');
  for (const name of ["tools", "packages"]) symlinkSync(join(projectRoot, name), join(folder, name));
  const npm = spawn("npm", ["start", "--", "--port", "0", "--config", "onym.json"], {
    cwd: folder,
    env: onymEnvironment(folder, {}),
    stdio: ["ignore", "pipe", "pipe"],
  });
  // The pipes close when the last process that has them ends: npm, a shell, and the gateway.
  const closed = new Promise((resolve) => npm.once("close", () => resolve("closed")));
  let said = "";
  const listening = new Promise((resolve) => {
    for (const stream of [npm.stdout, npm.stderr])
      stream.setEncoding("utf8").on("data", (part: string) => {
        said += part;
        if (said.includes("onym listening on")) resolve("listening");
      });
  });
  expect(await Promise.race([listening, closed]), said).toBe("listening");
  npm.kill("SIGTERM");
  expect(await closed).toBe("closed");
});
