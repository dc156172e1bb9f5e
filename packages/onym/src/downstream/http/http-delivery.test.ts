// Bodies that nobody needs, of real servers over real connections.

import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { createHttpClient, type HttpClient } from "./http-client.js";
import { type HttpAnswer, MAX_DISCARDS } from "./http-delivery.js";
import { readText } from "./read-messages.js";

const CHUNK = Buffer.alloc(1024, 120);

let server: Server | undefined;
let client: HttpClient | undefined;
afterEach(async () => {
  await client?.close();
  server?.closeAllConnections();
  server?.close();
});

/** `opened` counts the connections so far. */
async function open(listener: RequestListener): Promise<{ client: HttpClient; opened: () => number }> {
  let connections = 0;
  server = createServer(listener).on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  client = createHttpClient(
    { kind: "http", url: `http://127.0.0.1:${port}/`, headers: new Map() },
    (text) => text,
  );
  return { client, opened: () => connections };
}

async function ask({ request }: HttpClient): Promise<HttpAnswer> {
  const answer = await request({ method: "POST", headers: new Map(), body: "{}" });
  if (answer.kind === "failed") throw new Error(answer.reason);
  return answer;
}

const closed = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.on("close", resolve));

it("uses the connection of a short discarded body again", async () => {
  const finishes: Promise<void>[] = [];
  const { client, opened } = await open((_, response) => {
    finishes.push(closed(response));
    response.writeHead(202).write("a part, ");
    setImmediate(() => response.end("and the rest"));
  });
  for (let i = 0; i < 5; i++) {
    (await ask(client)).body.discard();
    await finishes[i];
  }
  await readText(await ask(client), 100);
  expect(opened()).toBeLessThan(6);
});

it("ends the connection of a discarded body that goes on (SAFE-5)", async () => {
  let ended: Promise<void> | undefined;
  const { client } = await open((_, response) => {
    ended = closed(response);
    response.writeHead(202);
    const write = (): void => {
      while (!response.destroyed && response.write(CHUNK));
    };
    response.on("drain", write);
    write();
  });
  (await ask(client)).body.discard();
  await ended;
});

it("ends the connection of a discarded body that falls silent (SAFE-5)", async () => {
  let ended: Promise<void> | undefined;
  const { client } = await open((_, response) => {
    ended = closed(response);
    response.writeHead(202).write("never the rest");
  });
  (await ask(client)).body.discard();
  await ended;
});

it.each([
  ["one below", MAX_DISCARDS - 1, 0],
  ["at", MAX_DISCARDS, 0],
  ["one above", MAX_DISCARDS + 1, 1],
])(
  "discards so many silent bodies at once: %s the limit (limits: MAX_DISCARDS of http-delivery)",
  async (_, bodies, ended) => {
    const responses: ServerResponse[] = [];
    const { client } = await open((_, response) => {
      responses.push(response);
      response.writeHead(202).write("never the rest");
    });
    const answers: HttpAnswer[] = [];
    for (let i = 0; i < bodies; i++) answers.push(await ask(client));
    const last = responses.at(-1);
    const lastClosed = last === undefined ? undefined : closed(last);
    for (const { body } of answers) body.discard();
    // What is ended at once has ended before another request is answered.
    await (ended > 0 ? lastClosed : ask(client));
    expect(responses.filter(({ destroyed }) => destroyed)).toHaveLength(ended);
  },
);
