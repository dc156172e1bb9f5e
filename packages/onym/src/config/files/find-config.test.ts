import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { chooseConfig } from "./find-config.js";
import { userConfigFile } from "./user-folders.js";

const folder = mkdtempSync(join(tmpdir(), "onym-choice-"));
const cwd = join(folder, "project");
const env = { HOME: folder, USERPROFILE: folder };
mkdirSync(cwd);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("is the named file, else the one of WORKBENCH_CONFIG, else the folder's, else the user's own (CFG-1, CFG-6, BOX-9)", () => {
  const own = userConfigFile({ platform: process.platform, env });
  const choose = (more: { file?: string; workbench?: string } = {}) =>
    chooseConfig({ file: more.file, cwd, env: { ...env, WORKBENCH_CONFIG: more.workbench } });
  expect(choose()).toBeUndefined();
  mkdirSync(join(own, ".."), { recursive: true });
  writeFileSync(own, "{}");
  expect(choose()).toEqual({ file: own, origin: "own", isWorkbench: false });
  writeFileSync(join(cwd, "workbench-config.json"), "{}");
  expect(choose()).toEqual({ file: "workbench-config.json", origin: "found", isWorkbench: true });
  writeFileSync(join(cwd, ".mcp.json"), "{}");
  expect(choose()).toEqual({ file: ".mcp.json", origin: "found", isWorkbench: false });
  writeFileSync(join(cwd, "onym.json"), "{}");
  expect(choose({ workbench: "" })).toEqual({ file: "onym.json", origin: "found", isWorkbench: false });
  expect(choose({ workbench: "/my/boxes.json" })).toEqual({
    file: "/my/boxes.json",
    origin: "named",
    isWorkbench: true,
  });
  expect(choose({ file: "x.json", workbench: "/my/boxes.json" })).toEqual({
    file: "x.json",
    origin: "named",
    isWorkbench: false,
  });
});

it("is not Cursor's own file in home, which is for all projects (CFG-6)", () => {
  const home = join(folder, "home");
  const project = join(home, "project");
  for (const place of [home, project]) {
    mkdirSync(join(place, ".cursor"), { recursive: true });
    writeFileSync(join(place, ".cursor/mcp.json"), "{}");
  }
  const own = { HOME: home, USERPROFILE: home };
  expect(chooseConfig({ cwd: home, env: own })).toBeUndefined();
  expect(chooseConfig({ cwd: project, env: own })).toMatchObject({ file: ".cursor/mcp.json" });
});
