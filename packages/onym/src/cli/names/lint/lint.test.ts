import { Readable } from "node:stream";
import { expect, it } from "vitest";
import type { Terminal } from "../../../output/terminal.js";
import { main } from "../../main.js";

async function lint(name: string, isTTY: boolean): Promise<string> {
  let text = "";
  const terminal: Terminal = {
    out: async (piece) => {
      text += piece;
    },
    err: () => {},
    stdin: Readable.from([]),
    columns: undefined,
    errColumns: undefined,
    isTTY,
    paint: (_, plain) => plain,
    paintErr: (_, plain) => plain,
    env: {},
    cwd: "/",
    today: "2026-01-01",
  };
  await main(["lint", "--name", name, "-p", "mcp,openai"], terminal, "0.0.0");
  return text;
}

it("says on a terminal that nothing was found, and is silent in a pipe", async () => {
  expect(await lint("search_files", true)).toBe("✓ 1 tool, 2 profiles: nothing found.\n");
  expect(await lint("search_files", false)).toBe("");
  expect(await lint("search files", true)).toContain("1 error, 0 warnings in 1 tool.");
});
