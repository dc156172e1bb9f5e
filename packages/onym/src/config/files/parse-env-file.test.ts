import { expect, it } from "vitest";
import { parseEnvFile } from "./parse-env-file.js";

it.each([
  ["A=1", [["A", "1"]]],
  ["\r\n# all of it\r\n  A = 1 # one\r\n", [["A", "1"]]],
  ["A=", [["A", ""]]],
  ["A=# nothing", [["A", ""]]],
  ["A=a#b", [["A", "a#b"]]],
  ["export A=1\nA=2", [["A", "2"]]],
  [`A='a # "b" \\n'`, [["A", 'a # "b" \\n']]],
  ['A="a\\"b\\\\n\\n" # c', [["A", 'a"b\\n\n']]],
  [
    'A="one\ntwo"\nB=3',
    [
      ["A", "one\ntwo"],
      ["B", "3"],
    ],
  ],
  ["__proto__=x", [["__proto__", "x"]]],
])("reads %j", (text, expected) => {
  const parsed = parseEnvFile(text);
  expect("variables" in parsed && [...parsed.variables]).toEqual(expected);
});

it.each([
  ["A=1\nnothing", 2],
  ["1A=x", 1],
  ['A="open', 1],
  ['A="x" y', 1],
])("refuses %j by the number of its line", (text, badLine) => {
  expect(parseEnvFile(text)).toEqual({ badLine });
});

it("looks at each line of a long value once (SAFE-4)", () => {
  const lines = Array.from({ length: 20_000 }, () => 'a\\"b\\');
  expect(parseEnvFile(`A="${lines.join("\n")}\nend"\nB=1`)).toEqual({
    variables: new Map([
      ["A", `${lines.map(() => 'a"b\\').join("\n")}\nend`],
      ["B", "1"],
    ]),
  });
  expect(parseEnvFile(`A="${lines.join("\n")}`)).toEqual({ badLine: 1 });
});
