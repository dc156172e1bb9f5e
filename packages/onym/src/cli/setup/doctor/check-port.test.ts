import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { checkPort } from "./check-port.js";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function listen(answer: RequestListener): Promise<number> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const check = (port: number, isOwn = true) => checkPort({ host: "127.0.0.1", port, isOwn });

describe("the gateway's port", () => {
  it("is free where nobody listens", async () => {
    expect(await check(0)).toMatchObject({ status: "ok", message: "free for onym serve" });
  });

  it("is fine where Onym answers, and less so where Onym misses servers", async () => {
    const answer = (...states: readonly string[]) =>
      listen((req, res) => {
        if (req.url !== "/") return res.end('{"status":"ok"}');
        res.end(JSON.stringify({ name: "onym", servers: states.map((state) => ({ state })) }));
      });
    expect(await check(await answer("ready"))).toMatchObject({
      status: "ok",
      message: "Onym answers there",
    });
    expect(await check(await answer("ready", "failed"))).toMatchObject({
      status: "warning",
      message: "Onym answers there, without 1 of its servers.",
    });
    expect(await check(await answer("ready"), false)).toMatchObject({
      status: "warning",
      message: "An Onym with another config answers there.",
    });
  });

  it("is told whose it is where an Onym with another config answers, and the demo is fine", async () => {
    const port = await listen((_, res) => res.end('{"name":"onym"}'));
    const whose = (config: string) => checkPort({ host: "127.0.0.1", port, isOwn: false, config });
    expect(await whose("/srv/other/onym.json")).toMatchObject({
      status: "warning",
      message: "An Onym with another config answers there (/srv/other/onym.json).",
    });
    expect(await whose("/tmp/onym-demo-x/the bundled demo")).toMatchObject({
      status: "ok",
      message: "the bundled demo answers there; end it before onym serve",
    });
  });

  it.each<[string, RequestListener]>([
    ["says something else", (_, res) => res.end('{"status":"ok"}')],
    ["says no JSON", (_, res) => res.end("<html>")],
    ["hangs up", (req) => req.socket.destroy()],
  ])("is another program's where it %s", async (_, answer) => {
    const found = await check(await listen(answer));
    expect(found).toMatchObject({ status: "warning", message: "Another program has the port." });
  });
});
