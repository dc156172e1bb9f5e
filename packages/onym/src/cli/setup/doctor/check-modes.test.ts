import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkModes } from "./check-modes.js";

const folder = mkdtempSync(join(tmpdir(), "onym-modes-"));
function fileWith(name: string, mode: number): string {
  const file = join(folder, name);
  writeFileSync(file, "");
  chmodSync(file, mode);
  return file;
}

it.skipIf(process.platform === "win32").each([
  ["key", 0o600, undefined],
  ["key", 0o400, undefined],
  ["key", 0o640, "read"],
  ["key", 0o604, "read"],
  ["key", 0o620, "change"],
  ["key", 0o666, "read and change"],
  ["config", 0o600, undefined],
  ["config", 0o664, undefined],
  ["config", 0o666, "change"],
] as const)("tells who else can get at a %s with the mode %o (SAFE-7)", (what, mode, can) => {
  const file = fileWith(`${what}-${mode}`, mode);
  const fine = fileWith(`fine-${what}-${mode}`, 0o600);
  const files = what === "key" ? { config: fine, key: file } : { config: file, key: undefined };
  const checks = checkModes(files);
  expect(
    checks.map(({ status, message }) => [status, message.includes(`others on this machine can ${can} it`)]),
  ).toEqual(can === undefined ? [] : [["warning", true]]);
});

it("has nothing to say of files that are not there", () => {
  expect(checkModes({ config: join(folder, "none"), key: join(folder, "none.key") })).toEqual([]);
});
