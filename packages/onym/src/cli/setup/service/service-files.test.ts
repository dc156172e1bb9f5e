import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildService, ownPath, type ServiceInput } from "./service-files.js";

const COMMAND = [
  process.execPath,
  "/opt/my onym/bin/onym.js",
  "serve",
  "--config",
  '/home/me/100% "odd" $HOME/onym.json',
];

function inputFor(platform: NodeJS.Platform, command: readonly string[] = COMMAND): ServiceInput {
  const env =
    platform === "win32"
      ? { USERPROFILE: "C:\\Users\\me", LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local" }
      : { HOME: "/home/me" };
  return { machine: { platform, env }, command, path: "/usr/local/bin:/usr/bin", user: "me & you" };
}

describe("the service of a user", () => {
  it("is a systemd user unit on Linux, with words that systemd does not take apart", () => {
    const { path, text, start } = buildService(inputFor("linux"));
    expect(path).toBe("/home/me/.config/systemd/user/onym.service");
    expect(text).toContain(
      `ExecStart="${process.execPath}" "/opt/my onym/bin/onym.js" "serve" "--config" "/home/me/100%% \\"odd\\" $$HOME/onym.json"`,
    );
    expect(text).toContain("EnvironmentFile=-/home/me/.config/onym/onym.env");
    expect(start.at(-1)).toEqual(["systemctl", "--user", "restart", "onym.service"]);
  });

  const hasAnalyze = spawnSync("systemd-analyze", ["--version"]).status === 0;
  it.skipIf(!hasAnalyze)("is a unit that systemd accepts", () => {
    const folder = mkdtempSync(join(tmpdir(), "onym-unit-"));
    try {
      const file = join(folder, "onym.service");
      writeFileSync(file, buildService(inputFor("linux")).text);
      const { status, stderr } = spawnSync("systemd-analyze", ["verify", "--user", file], {
        encoding: "utf8",
        env: { ...process.env, XDG_RUNTIME_DIR: folder },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("is a launchd agent on macOS, as XML", () => {
    const { path, text, start } = buildService(inputFor("darwin"));
    expect(path).toBe("/home/me/Library/LaunchAgents/dev.onym.gateway.plist");
    const words = [...text.matchAll(/^ {4}<string>(.*)<\/string>$/gm)].map(([, word]) => word);
    expect(words.slice(0, COMMAND.length)).toEqual(COMMAND.map((word) => word.replaceAll('"', "&quot;")));
    expectBalanced(text);
    expect(start).toEqual([["launchctl", "load", "-w", path]]);
  });

  it("is a task on Windows, as XML, with arguments as its programs read them", () => {
    const command = [
      "C:\\Program Files\\nodejs\\node.exe",
      "C:\\o n\\onym.js",
      "serve",
      "--config",
      'C:\\a "b"\\',
    ];
    const { path, text, start } = buildService(inputFor("win32", command));
    expect(path).toBe("C:\\Users\\me\\AppData\\Local\\onym\\onym-task.xml");
    expect(text).toContain("<Command>C:\\Program Files\\nodejs\\node.exe</Command>");
    expect(text).toContain(
      "<Arguments>&quot;C:\\o n\\onym.js&quot; serve --config &quot;C:\\a \\&quot;b\\&quot;\\\\&quot;</Arguments>",
    );
    expect(text).toContain("<UserId>me &amp; you</UserId>");
    expectBalanced(text);
    expect(start[0]).toContain("/XML");
  });
});

/** Every element that is opened is closed, in order. */
function expectBalanced(text: string): void {
  const open: string[] = [];
  for (const [, slash, name = "", self] of text
    .replace(/<[?!][^>]*>/g, "")
    .matchAll(/<(\/?)([\w]+)[^>]*?(\/?)>/g)) {
    if (slash === "/") expect(open.pop()).toBe(name);
    else if (self !== "/") open.push(name);
  }
  expect(open).toEqual([]);
}

describe("the PATH of a service", () => {
  const own = "/home/me/bin:/usr/local/bin:/usr/bin";
  const ofNpx =
    "/home/me/clone/node_modules/.bin:/home/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin";

  it("is the user's own, without what npx puts before it, and with each folder once", () => {
    const env = {
      PATH: `${ofNpx}:${own}:/usr/bin`,
      npm_execpath: "/usr/lib/node_modules/npm/bin/npx-cli.js",
    };
    expect(ownPath({ platform: "linux", env })).toBe(own);
    const windows = { PATH: "C:\\x\\node_modules\\.bin;C:\\Windows;C:\\Windows", npm_execpath: "C:\\npx" };
    expect(ownPath({ platform: "win32", env: windows })).toBe("C:\\Windows");
  });

  it("keeps such a folder that the user has put there", () => {
    const PATH = "/home/me/tools/node_modules/.bin:/usr/bin";
    expect(ownPath({ platform: "linux", env: { PATH } })).toBe(PATH);
  });
});
