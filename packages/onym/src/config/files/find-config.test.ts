import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
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

describe("a client's file that registers Onym is no config of Onym's (CFG-6)", () => {
  const server = { command: "gh-server" };
  const onym = (...args: readonly string[]) => ({ command: "npx", args: ["-y", "onym", "serve", ...args] });

  function newPlace() {
    const home = mkdtempSync(join(folder, "home-"));
    const project = join(home, "project");
    mkdirSync(project);
    const ours = { HOME: home, USERPROFILE: home };
    const own = userConfigFile({ platform: process.platform, env: ours });
    mkdirSync(join(own, ".."), { recursive: true });
    writeFileSync(own, "{}");
    const write = (name: string, value: object) => writeFileSync(join(project, name), JSON.stringify(value));
    return { own, project, write, choose: () => chooseConfig({ cwd: project, env: ours }) };
  }

  it("its --config is followed, and is the user's own where it is that file", () => {
    const { own, write, choose } = newPlace();
    write(".mcp.json", { mcpServers: { onym: onym("--stdio", "--config", own) } });
    expect(choose()).toEqual({ file: own, origin: "own", isWorkbench: false });
  });

  it("another that it names was only found, whoever wrote it there", () => {
    const { project, write, choose } = newPlace();
    write("team.json", { mcpServers: { server } });
    write(".mcp.json", { mcpServers: { tools: onym("--config=team.json") } });
    expect(choose()).toEqual({ file: join(project, "team.json"), origin: "found", isWorkbench: false });
  });

  it.each([
    ["over HTTP", { mcpServers: { onym: { url: "http://127.0.0.1:6696/mcp" } } }],
    ["with a config that is gone", { mcpServers: { onym: onym("--config", "/nowhere/onym.json") } }],
    ["without a config, and nothing else", { mcpServers: { onym: onym("--stdio") } }],
    ["as VS Code has it", { servers: { onym: { type: "stdio", ...onym() } } }],
  ])("else it is passed over: %s", (_, value) => {
    const { own, write, choose } = newPlace();
    write(".mcp.json", value);
    expect(choose()).toMatchObject({ file: own, origin: "own" });
    write("mcp.json", { mcpServers: { server } });
    expect(choose()).toMatchObject({ file: "mcp.json", origin: "found" });
  });

  it("servers beside Onym are named in a note, and stay the client's", () => {
    const { own, write, choose } = newPlace();
    write(".mcp.json", {
      mcpServers: { onym: onym("--config", own), server, off: { ...server, disabled: true } },
    });
    expect(choose()).toMatchObject({
      file: own,
      note: '".mcp.json" registers Onym, so this is about another config. Its "server" is not behind Onym: onym connect moves it.',
    });
  });

  it("where Onym is started there without a config, or with that file, the servers beside it are its config", () => {
    const { write, choose } = newPlace();
    for (const args of [[], ["--config", ".mcp.json"]]) {
      write(".mcp.json", { mcpServers: { onym: onym(...args), server } });
      expect(choose()).toEqual({
        file: ".mcp.json",
        origin: "found",
        isWorkbench: false,
        note: '"onym" in ".mcp.json" is Onym itself, and no server of this config.',
      });
    }
  });

  it("an onym.json is one, also with another Onym as a server, and so is a file that cannot be read", () => {
    const { project, write, choose } = newPlace();
    writeFileSync(join(project, ".mcp.json"), "{");
    expect(choose()).toMatchObject({ file: ".mcp.json" });
    write("onym.json", { mcpServers: { far: onym("--config", "/srv/other.json") } });
    expect(choose()).toEqual({ file: "onym.json", origin: "found", isWorkbench: false });
  });
});
