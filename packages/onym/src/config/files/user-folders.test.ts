import { describe, expect, it } from "vitest";
import { userConfigFile, userStateFolder } from "./user-folders.js";

const HOME = "/home/me";
const WINDOWS = { USERPROFILE: "C:\\Users\\me" };

describe("a user's own files (CFG-6)", () => {
  it.each([
    ["linux", { HOME }, "/home/me/.config/onym/onym.json", "/home/me/.local/state/onym"],
    ["linux", { HOME, XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "/c/onym/onym.json", "/s/onym"],
    // As the XDG specification says: a relative path is not used.
    [
      "linux",
      { HOME, XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" },
      "/home/me/.config/onym/onym.json",
      "/home/me/.local/state/onym",
    ],
    [
      "darwin",
      { HOME },
      "/home/me/Library/Application Support/onym/onym.json",
      "/home/me/Library/Application Support/onym",
    ],
    [
      "win32",
      { ...WINDOWS, APPDATA: "D:\\R", LOCALAPPDATA: "D:\\L" },
      "D:\\R\\onym\\onym.json",
      "D:\\L\\onym",
    ],
    [
      "win32",
      WINDOWS,
      "C:\\Users\\me\\AppData\\Roaming\\onym\\onym.json",
      "C:\\Users\\me\\AppData\\Local\\onym",
    ],
  ] as const)("on %s with %j", (platform, env, config, state) => {
    expect(userConfigFile({ platform, env })).toBe(config);
    expect(userStateFolder({ platform, env })).toBe(state);
  });
});
