import { describe, expect, it } from "vitest";
import { idFromCommand, idFromUrl } from "./open-live.js";

describe("the id of a server that is in no config", () => {
  it.each([
    [["node", "server.js"], "server"],
    [["node", "--inspect", "../dist/files.mjs", "/tmp"], "files"],
    [["npx", "-y", "@modelcontextprotocol/server-memory@2026.8.31"], "server-memory"],
    [["pnpm", "dlx", "some-server"], "some-server"],
    [["uv", "tool", "run", "mcp-server-git"], "mcp-server-git"],
    [["env", "TOKEN=x", "npx", "some-server"], "some-server"],
    [["python3", "-m", "tools.py"], "tools"],
    [["/usr/local/bin/github-mcp-server", "stdio"], "github-mcp-server"],
    [["C:\\tools\\files.exe"], "files"],
    [["node", "-"], "node"],
    [["node", "/x/node_modules/@modelcontextprotocol/server-memory/dist/index.js"], "server-memory"],
    [["node", "dist/index.js"], "index"],
    [["C:\\files\\build\\main.exe"], "files"],
    [["node", "-e", "console.log(1)"], "node"],
    [["python3", "-c", "import x"], "python3"],
  ])("of %j is made from what is started", (words, id) => {
    expect(idFromCommand(words)).toBe(id);
  });

  it.each([
    ["https://mcp.linear.app/sse", "linear"],
    ["https://api.githubcopilot.com/mcp/", "githubcopilot"],
    ["https://example.com/mcp?key=secret", "example"],
    ["http://intranet/mcp", "intranet"],
    ["http://127.0.0.1:3001/mcp", "localhost"],
    ["http://localhost:3001/mcp", "localhost"],
    ["http://[::1]:3001/mcp", "localhost"],
    ["http://192.168.0.7:3001/mcp", "192-168-0-7"],
  ])("of %s is made from the host", (url, id) => {
    expect(idFromUrl(url)).toBe(id);
  });
});
