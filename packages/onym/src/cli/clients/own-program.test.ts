import { describe, expect, it } from "vitest";
import { detectProgram } from "./own-program.js";
import { startsOnym } from "./starts-onym.js";

describe("the words that start this Onym", () => {
  it("are those of the package where it is installed", () => {
    const installed = "file:///home/me/node_modules/onym/dist/cli/clients/own-program.js";
    expect(detectProgram(installed)).toEqual(["npx", "-y", "onym"]);
  });

  it("are those of the checkout where it runs from one, and known to be Onym", () => {
    const words = detectProgram(import.meta.url);
    expect(words).toEqual(["node", expect.stringMatching(/[\\/]packages[\\/]onym[\\/]bin[\\/]onym\.js$/)]);
    const [command = "", ...args] = words;
    expect(startsOnym("tools", { command, args: [...args, "serve"] })).toBe(true);
  });
});
