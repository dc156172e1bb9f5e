import { describe, expect, it } from "vitest";
import type { Launch } from "../../model/launch.js";
import { leadsBack } from "./leads-back.js";

const config = { file: "sub/.mcp.json", folder: "/home/me/sub" };
const stdio = (command: string, ...args: string[]): Launch => ({
  kind: "stdio",
  command,
  args,
  env: new Map(),
  cwd: "/home/me/sub",
});
const http = (url: string): Launch => ({ kind: "http", url, headers: new Map() });
const leads = (launch: Launch, server = "onym") =>
  leadsBack({ source: { server, tools: [] } }, launch, config);

describe("a server that is Onym", () => {
  it.each([
    [stdio("npx", "-y", "onym", "serve", "--stdio")],
    [stdio("onym", "serve", "--stdio", "--config", ".mcp.json")],
    [stdio("onym", "serve", "--stdio", "--config=/home/me/sub/.mcp.json")],
    [http("http://127.0.0.1:6696/mcp")],
  ])("with this config leads back: %j", (launch) => {
    expect(leads(launch)).toBe(true);
  });

  it.each([
    [stdio("onym", "serve", "--stdio", "-c", "../onym.json")],
    [stdio("npx", "-y", "some-server")],
    [http("https://example.com/mcp")],
    [{ kind: "static" } as const],
  ])("with another, or that is none, does not: %j", (launch) => {
    expect(leads(launch)).toBe(false);
  });
});
