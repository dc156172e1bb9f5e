import { describe, expect, it } from "vitest";
import { startsOnym } from "../config/files/onym-entry.js";
import { PACKAGE_FOLDER } from "../output/package-folder.js";
import { detectProgram } from "./gateway-address.js";

describe("the words that start this Onym", () => {
  it("are those of the package where it is installed", () => {
    const installed = new URL("file:///home/me/node_modules/onym/");
    expect(detectProgram(installed)).toEqual(["npx", "-y", "onym"]);
  });

  it("are those of the checkout where it runs from one, and known to be Onym", () => {
    const words = detectProgram(PACKAGE_FOLDER);
    expect(words).toEqual(["node", expect.stringMatching(/[\\/]packages[\\/]onym[\\/]bin[\\/]onym\.js$/)]);
    const [command = "", ...args] = words;
    expect(startsOnym("tools", { command, args: [...args, "serve"] })).toBe(true);
  });
});
