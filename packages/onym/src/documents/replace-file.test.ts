import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readFileBytes } from "./replace-file.js";

it.skipIf(process.platform === "win32")("reads no device that a link leads to (SAFE-4)", () => {
  const folder = mkdtempSync(join(tmpdir(), "onym-bytes-"));
  symlinkSync("/dev/zero", join(folder, "zero"));
  expect(readFileBytes(join(folder, "zero"))).toEqual({
    kind: "unreadable",
    reason: "it is no file but a device, a pipe or a socket",
  });
  rmSync(folder, { recursive: true });
});
