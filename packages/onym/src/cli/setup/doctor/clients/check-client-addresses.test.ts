import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { checkClientAddresses } from "./check-client-addresses.js";

const folders: string[] = [];
const servers: Server[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  for (const server of servers.splice(0)) await close(server);
});

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

async function listen(
  answer: RequestListener,
): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const answerAsOnym: RequestListener = (_, res) => res.end('{"name":"onym","servers":[]}');

/** What is warned of where Cursor has this entry. */
async function check(onym: object, gateways: readonly { url: string; config: string }[] = []) {
  const home = mkdtempSync(join(tmpdir(), "onym-address-"));
  folders.push(home);
  mkdirSync(join(home, ".cursor"));
  writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers: { onym } }));
  const machine = { platform: "linux", env: { HOME: home }, project: join(home, "work") } as const;
  const found = gateways.map(({ url, config }) => ({ url, config: config.replace("~", home) }));
  return checkClientAddresses(machine, { config: "/srv/onym.json", gateways: found });
}

describe("a client that connects to Onym over HTTP", () => {
  it("is warned of where nothing runs, with what to do", async () => {
    const { server, origin } = await listen(answerAsOnym);
    servers.splice(0);
    await close(server);
    const bridge = { command: "npx", args: ["-y", "mcp-remote", `${origin}/mcp/claude-desktop`] };
    for (const entry of [{ url: `${origin}/mcp/cursor` }, bridge])
      expect(await check(entry)).toEqual([
        {
          group: "Clients",
          name: "cursor",
          status: "warning",
          message: `Cursor connects to ${origin}, where nothing runs.`,
          fix: "Start it: onym serve, or onym service install. Or onym connect cursor --stdio lets Cursor start its own.",
        },
      ]);
  });

  it("is fine with a gateway of the config, of the user's own, or of somebody who does not tell", async () => {
    const { origin } = await listen(answerAsOnym);
    const url = `${origin}/mcp`;
    for (const gateways of [
      [{ url, config: "/srv/onym.json" }],
      [{ url, config: "~/.config/onym/onym.json" }],
      [],
    ])
      expect(await check({ url: `${url}/cursor` }, gateways)).toEqual([]);
    expect(await check({ command: "npx", args: ["-y", "onym", "serve", "--stdio"] })).toEqual([]);
  });

  it.each([
    ["~/other/onym.json", "a gateway of another config runs (~/other/onym.json)"],
    ["/tmp/onym-demo-x/the bundled demo", "the bundled demo runs"],
  ])("is warned of where a gateway of %s runs", async (config, what) => {
    const { origin } = await listen(answerAsOnym);
    expect(await check({ url: `${origin}/mcp/cursor` }, [{ url: `${origin}/mcp`, config }])).toMatchObject([
      {
        message: `Cursor connects to ${origin}, where ${what}.`,
        fix: "Connect it again: onym connect cursor.",
      },
    ]);
  });

  it("is warned of where another program answers", async () => {
    const { origin } = await listen((_, res) => res.end("<html>"));
    expect(await check({ url: `${origin}/mcp/cursor` })).toMatchObject([
      { message: `Cursor connects to ${origin}, where another program answers.` },
    ]);
  });
});
