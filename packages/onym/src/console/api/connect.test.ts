import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { clientOf } from "../../clients/find-client.js";
import { configPath } from "../../config/files/config-path.js";
import { userConfigFile } from "../../config/files/user-folders.js";
import { readConfig } from "../../config/read-config.js";
import { loadDemoConfig } from "../../serve/demo-config.js";
import { readConnect } from "./connect.js";

const env = { HOME: homedir() };
const url = () => "http://127.0.0.1:6696/mcp";

function reportOf(configFile: string, config = loadDemoConfig(env)) {
  return readConnect({ config: () => config, url, configFile, env });
}

const emptyConfig = readConfig('{"mcpServers": {}}', {
  file: "onym.json",
  folder: "/srv",
  isClientFile: false,
  env,
  readText: () => ({ reason: "not here", isMissing: true }),
});

describe("the page that connects clients", () => {
  it("of the demo has the command for the user's own servers, and nothing that names the demo's config (CON-1)", () => {
    const demo = loadDemoConfig(env);
    const report = reportOf(configPath(demo), demo);
    expect(report.isDemo).toBe(true);
    const cursor = report.clients.find(({ id }) => id === "cursor");
    expect(cursor?.command).toBe("npx onym connect cursor");
    expect(cursor?.ways.map(({ transport }) => transport)).toEqual(["http"]);
    for (const { command = "", ways } of report.clients)
      for (const text of [command, ...ways.map((way) => way.text)]) {
        expect(text).not.toContain("demo");
        expect(text).not.toContain("--stdio");
      }
  });

  it("offers no registration of the demo in a service on the web, and says what that needs instead", () => {
    const demo = loadDemoConfig(env);
    const { clients } = reportOf(configPath(demo), demo);
    const hosted = clients.filter(({ needs }) => needs !== undefined);
    expect(hosted.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["claude-ai", "chatgpt", "anthropic-mcp-connector", "openai-hosted-mcp"]),
    );
    for (const { ways, title, needs } of hosted) {
      expect(ways).toEqual([]);
      expect(needs).toContain(
        `${title} runs on the web and cannot reach this demo. It needs a gateway of your own`,
      );
    }
    for (const { ways } of clients)
      for (const { text } of ways) expect(text).not.toContain("https://YOUR-HOST");
  });

  it("of another gateway says where a service on the web can reach it", () => {
    const { clients } = reportOf("/srv/onym.json", emptyConfig);
    const chatgpt = clients.find(({ id }) => id === "chatgpt");
    expect(chatgpt?.needs).toContain("then write that address in place of YOUR-HOST");
    expect(chatgpt?.ways).toMatchObject([{ text: expect.stringContaining("https://YOUR-HOST/mcp/chatgpt") }]);
    expect(clients.find(({ id }) => id === "cursor")).not.toHaveProperty("needs");
  });

  it("of another gateway has the command that connects to it, with its config unless that is the user's own", () => {
    const own = userConfigFile({ platform: process.platform, env });
    const commandIn = (file: string) =>
      reportOf(file, emptyConfig).clients.find(({ id }) => id === "cursor")?.command;
    expect(commandIn(own)).toBe("npx onym connect cursor --http");
    const other = join(homedir(), "onym.json");
    expect(commandIn(other)).toBe(`npx onym connect cursor --http --config ${other}`);
    expect(reportOf(other, emptyConfig).isDemo).toBe(false);
  });

  it("asks only clients to connect to an address that can", () => {
    const { clients } = reportOf("/srv/onym.json", emptyConfig);
    for (const { id, command } of clients)
      if (command !== undefined)
        expect([id, command.includes("--http")]).toEqual([id, clientOf(id).entry?.http !== undefined]);
  });
});
