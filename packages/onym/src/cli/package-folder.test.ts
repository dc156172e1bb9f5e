import { expect, it } from "vitest";
import { nameProgram } from "./package-folder.js";

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
