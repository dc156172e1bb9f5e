import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadConfig } from "../../config/load-config.js";
import { gatewaySettingsOf } from "./gateway-settings.js";

const folder = mkdtempSync(join(tmpdir(), "onym-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

function admitsOf(toolFilters?: readonly string[]) {
  const file = join(folder, "onym.json");
  writeFileSync(
    file,
    JSON.stringify({ mcpServers: { fs: { command: "fs", ...(toolFilters && { toolFilters }) } } }),
  );
  const [server] = gatewaySettingsOf(loadConfig({ file, env: {}, cwd: folder }), {}).servers;
  return server?.admits;
}

it("has the same filter for a server whose filters stay as they were, so that nothing of it is read again (SAFE-4)", () => {
  const [all, some, other] = [admitsOf(), admitsOf(["read_*"]), admitsOf(["write_*"])];
  expect([admitsOf(), admitsOf(["read_*"]), admitsOf(["write_*"])]).toEqual([all, some, other]);
  expect(admitsOf(["read_*"])).toBe(some);
  expect(["read_a", "write_a"].map((raw) => [all, some, other].map((admits) => admits?.(raw)))).toEqual([
    [true, true, false],
    [true, false, true],
  ]);
});
