import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAX_FILE_BYTES, readTextFile } from "./read-text-file.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "onym-text-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const DEVICE = "it is no file but a device, a pipe or a socket";

it("reads a file, also through a link", () => {
  writeFileSync(join(folder, "a"), "text");
  symlinkSync(join(folder, "a"), join(folder, "b"));
  for (const name of ["a", "b"]) expect(readTextFile(join(folder, name))).toEqual({ text: "text" });
});

// A folder from elsewhere may hold such links and pipes: without an end, or waiting for ever.
it.skipIf(process.platform === "win32")(
  "reads no device and waits for no pipe that a folder holds (SAFE-4)",
  () => {
    symlinkSync("/dev/zero", join(folder, "zero"));
    execFileSync("mkfifo", [join(folder, "pipe")]);
    for (const name of ["zero", "pipe"]) {
      expect(readTextFile(join(folder, name))).toEqual({ reason: DEVICE, isMissing: false });
    }
  },
);

it("says why there is no text", () => {
  const reasonOf = (name: string) => readTextFile(join(folder, name));
  mkdirSync(join(folder, "d"));
  expect(reasonOf("none")).toEqual({ reason: "there is no such file", isMissing: true });
  expect(reasonOf("d")).toEqual({ reason: "it is a folder", isMissing: false });
  writeFileSync(join(folder, "large"), "");
  truncateSync(join(folder, "large"), MAX_FILE_BYTES + 1);
  expect(reasonOf("large")).toEqual({ reason: `it has more than ${MAX_FILE_BYTES} bytes`, isMissing: false });
});
