import { describe, expect, it } from "vitest";
import { switchesIn } from "./server-switches.js";

function offIn(value: unknown, folder?: string): readonly string[] {
  const counting = switchesIn(value).filter((one) => one.folder === undefined || one.folder === folder);
  return ["GitHub", "ok"].filter((id) => counting.some((one) => one.isOff(id)));
}

describe("a server is off where a list of its client says so", () => {
  it.each([
    ["nothing is said", { mcp: {} }, []],
    ["it is excluded", { mcp: { excluded: ["GitHub"] } }, ["GitHub"]],
    [
      "it is excluded in another case, as Gemini CLI compares",
      { mcp: { excluded: [" github"] } },
      ["GitHub"],
    ],
    ["a pattern of Qwen Code excludes it", { mcp: { excluded: ["*hub"] } }, ["GitHub"]],
    ["others are allowed", { mcp: { allowed: ["ok"] } }, ["GitHub"]],
    ["none is allowed", { mcp: { allowed: [] } }, ["GitHub", "ok"]],
    ["it is allowed and excluded", { mcp: { allowed: ["ok"], excluded: ["ok"] } }, ["GitHub", "ok"]],
    ["older settings exclude it", { excludeMCPServers: ["GitHub"] }, ["GitHub"]],
    ["older settings allow others", { allowMCPServers: ["ok"] }, ["GitHub"]],
    ["settings of Claude Code reject it", { disabledMcpjsonServers: ["GitHub"] }, ["GitHub"]],
    ["the list is no list", { mcp: { excluded: "GitHub", allowed: "ok" } }, []],
  ])("%s", (_, value, off) => {
    expect(offIn(value)).toEqual(off);
  });

  it.each(["disabledMcpServers", "disabledMcpjsonServers"])(
    "%s of Claude Code is about one folder",
    (key) => {
      const value = { projects: { "/work": { [key]: ["GitHub"] }, "/other": { [key]: ["ok"] } } };
      expect(offIn(value)).toEqual([]);
      expect(offIn(value, "/work")).toEqual(["GitHub"]);
    },
  );
});
