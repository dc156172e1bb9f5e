import { describe, expect, it } from "vitest";
import { showPath } from "../model/show-path.js";
import { pathFromHere } from "./wording.js";

describe("a path as people read it", () => {
  const show = (file: string) => showPath(file, "/home/me/project", "/home/me");
  it.each([
    ["/home/me/project/onym.json", "onym.json", "below the current folder"],
    ["onym.json", "onym.json", "relative to the current folder"],
    ["/home/me/.config/onym/onym.json", "~/.config/onym/onym.json", "below home"],
    ["/home/me/..notes/x", "~/..notes/x", "a folder whose name merely starts with dots"],
    ["/home/other/x.json", "../../other/x.json", "elsewhere, where that is shorter"],
    ["/etc/x.json", "/etc/x.json", "elsewhere, where the whole path is shorter"],
    ["/home/me", "..", "home itself"],
    ["/home/me/project", "~/project", "the current folder itself"],
    ["/home/me/project/a\u202eb", "a\\u{202E}b", "escaped where a person would misread it"],
  ])("%s is %s: %s", (file, shown) => {
    expect(show(file)).toBe(shown);
  });

  it("goes through home only for people, never for programs", () => {
    expect(pathFromHere("/home/me/x", "/home/me/project")).toBe("../x");
  });
});
