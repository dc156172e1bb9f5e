import { expect, it } from "vitest";
import { nameProgram, nameProgramInHelp } from "./package-folder.js";

it.each([
  ["npx", { npm_command: "exec" }, "Run npx onym doctor, or npx onym names."],
  ["npm start", { npm_command: "start" }, "Run npx onym doctor, or npx onym names."],
  ["itself", {}, "Run onym doctor, or onym names."],
])("hints name commands as people started the program: by %s", (_, env, said) => {
  expect(nameProgram("Run onym doctor, or onym names.", env)).toBe(said);
});

it("hints keep what is no command, or has npx already", () => {
  const text = "npx onym connect, node_modules/onym is Onym's, onym.json, @onym core, my-onym x";
  expect(nameProgram(text, { npm_command: "exec" })).toBe(text);
});

it("help names commands as people started the program, and keeps its columns", () => {
  const help = [
    "Usage: onym [options]",
    "  onym lock && onym lock --check          record the names",
    "  onym doctor                             what is wrong",
    "  onym names  short",
    "onym COMMAND --help",
  ].join("\n");
  expect(nameProgramInHelp(help, {})).toBe(help);
  expect(nameProgramInHelp(help, { npm_command: "exec" })).toBe(
    [
      "Usage: npx onym [options]",
      "  npx onym lock && npx onym lock --check  record the names",
      "  npx onym doctor                         what is wrong",
      "  npx onym names  short",
      "npx onym COMMAND --help",
    ].join("\n"),
  );
});
