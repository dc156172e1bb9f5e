import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { findReplaceable, tracePath } from "./trace-path.js";

const dir = realpathSync(mkdtempSync(join(tmpdir(), "onym-trace-")));
afterAll(() => rmSync(dir, { recursive: true }));
for (const name of ["real/deep", "other"]) mkdirSync(join(dir, name), { recursive: true });
writeFileSync(join(dir, "real/deep/file"), "");
symlinkSync("real", join(dir, "folder-link"));
symlinkSync(join(dir, "real/deep/file"), join(dir, "other/file-link"));
symlinkSync("../other/file-link", join(dir, "real/second-link"));
symlinkSync("circle", join(dir, "circle"));

describe.skipIf(process.platform === "win32")("the way to a file", () => {
  it("goes through folders, and through what links lead to", () => {
    const { target, folders, places } = tracePath(join(dir, "folder-link/second-link"));
    expect(target).toBe(join(dir, "real/deep/file"));
    const passed = ["", "real", "other", "real/deep"].map((name) => join(dir, name));
    expect([...folders].filter((folder) => folder.startsWith(dir))).toEqual(passed);
    expect(folders).toContain("/");
    expect(places).toEqual([
      { folder: join(dir, "real"), name: "second-link" },
      { folder: join(dir, "other"), name: "file-link" },
      { folder: join(dir, "real/deep"), name: "file" },
    ]);
  });

  it("ends where something is missing, and would go on there", () => {
    const { target, folders, places } = tracePath(join(dir, "new/store/file"));
    expect(target).toBe(join(dir, "new/store/file"));
    expect(folders).toContain(join(dir, "new/store"));
    expect(places).toEqual([{ folder: dir, name: "new" }]);
  });

  it("does not follow a circle for ever", () => {
    expect(tracePath(join(dir, "circle")).folders).toContain(dir);
  });

  it.each([
    ["", "folder-link/deep/file"],
    ["real", "folder-link/deep/file"],
    ["folder-link", "real/deep/file"],
    ["other", "other/file-link"],
    ["real/deep", "other/file-link"],
    ["new/store", "new/store/file"],
    ["real/../other", "other/none"],
  ])("who may write to %j could replace %j", (folder, file) => {
    expect(findReplaceable([join(dir, file)], join(dir, folder))).toBe(join(dir, file));
  });

  it.each([
    ["other", "folder-link/deep/file"],
    ["real/deep", "real/none"],
    ["real/deep/file-folder", "real/deep/file"],
    ["new", "newer/file"],
  ])("who may write to %j cannot replace %j", (folder, file) => {
    expect(findReplaceable([join(dir, file)], join(dir, folder))).toBeUndefined();
  });
});
