import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { loadConfig } from "./load-config.js";

const cwd = mkdtempSync(join(tmpdir(), "onym-size-"));
afterAll(() => rmSync(cwd, { recursive: true }));

it("reads a config that was only found up to 4 MiB: one below, at and one above (limits: MAX_CONFIG_BYTES of read-text-file)", () => {
  const text = '{"store": "none", "mcpServers": {"a": {"tools": ["x"]}}}';
  const load = (bytes: number) => {
    writeFileSync(join(cwd, "onym.json"), `${text}//${"x".repeat(bytes - text.length - 2)}`);
    return loadConfig({ cwd, env: { HOME: cwd } }).servers.length;
  };
  expect(load(4_194_303)).toBe(1);
  expect(load(4_194_304)).toBe(1);
  expect(() => load(4_194_305)).toThrow("it has more than 4194304 bytes");
  expect(loadConfig({ cwd, env: { HOME: cwd }, file: "onym.json" }).servers).toHaveLength(1);
});

it("reads no larger file that a config names which was only found; one that was named may", () => {
  writeFileSync(join(cwd, "onym.json"), '{"store": "none", "mcpServers": {"a": {"tools": "tools.json"}}}');
  writeFileSync(join(cwd, "tools.json"), `["x"]//${"x".repeat(4_194_304)}`);
  const env = { HOME: cwd };
  expect(() => loadConfig({ cwd, env })).toThrow("it has more than 4194304 bytes");
  expect(loadConfig({ cwd, env, file: "onym.json" }).servers).toHaveLength(1);
});
