import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { buildSafeEnvironment, startChild } from "./start-child.js";

it("keeps what a program needs, adds what the config declares, and drops the rest", () => {
  const own = {
    PATH: "/bin",
    LC_ALL: "C",
    AWS_SECRET: "x",
    LC_SECRET: "y",
    TERM: "() { evil; }",
    TZ: undefined,
  };
  const declared = new Map([
    ["__proto__", "kept"],
    ["PATH", "/opt/bin"],
  ]);
  expect(Object.entries(buildSafeEnvironment(own, declared, "linux"))).toEqual([
    ["PATH", "/opt/bin"],
    ["LC_ALL", "C"],
    ["__proto__", "kept"],
  ]);
});

it("knows the names of Windows in any case", () => {
  const own = { Path: "C:\\", SystemRoot: "C:\\Windows", HOME: "x" };
  expect(buildSafeEnvironment(own, new Map(), "win32")).toEqual({ Path: "C:\\", SystemRoot: "C:\\Windows" });
});

it.skipIf(process.platform === "win32")(
  "closes a server's own folder to others where it was open before (SAFE-7)",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "onym-own-"));
    chmodSync(folder, 0o755);
    const child = startChild({
      kind: "stdio",
      command: process.execPath,
      args: ["-e", ""],
      env: new Map(),
      cwd: "/",
      ownFolder: folder,
    });
    if (child instanceof Error) throw child;
    await once(child, "close");
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folder, { recursive: true });
  },
);
