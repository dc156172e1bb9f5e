// The stream of a response that is bytes, over a real socket.

import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Reply } from "../../../mcp/message.js";
import { createSseWriters } from "./create-sse-writer.js";
import { createStreamLog } from "./create-stream-log.js";
import { createPostResponse, type PostResponse, writeJson } from "./write-response.js";

const BYTES: Reply = { kind: "bytes", pieces: ['{"tools":[', '"ä"', "]}"].map((part) => Buffer.from(part)) };
const JSON_TEXT = '{"jsonrpc":"2.0","id":7,"result":{"tools":["ä"]}}';

let server: Server;
afterEach(() => void server.close());

async function answer(work: (post: PostResponse) => void, accepted = { json: true, stream: true }) {
  const writers = createSseWriters();
  const log = createStreamLog({ bytes: () => 1_000, events: 10, primed: false, retryMs: 1 });
  server = createServer((req, res) => {
    const found = log.find(String(req.headers["last-event-id"]));
    if (found === undefined)
      work(createPostResponse({ res, callerKey: "caller:ann", accepted, writers, log }));
    else
      found.stream.attach(
        writers.open({ res, callerKey: "caller:ann" }, () => {}),
        found.after,
      );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    text: await (await fetch(url, { method: "POST" })).text(),
    resume: async (id: string) => (await fetch(url, { headers: { "last-event-id": id } })).text(),
  };
}

describe("a result that is bytes (SAFE-4)", () => {
  const framed = `event: message\nid: 0-1\ndata: ${JSON_TEXT}\n\n`;

  it("is one event of a stream, and can be fetched again", async () => {
    const { text, resume } = await answer((post) => {
      post.stream();
      post.finishWith(7, BYTES);
    });
    expect(text).toBe(framed);
    expect(await resume("0-0")).toBe(framed);
  });

  it("is a stream for a client that takes nothing else, and JSON for others", async () => {
    const work = (post: PostResponse): void => post.finishWith(7, BYTES);
    expect((await answer(work, { json: false, stream: true })).text).toBe(framed);
    server.close();
    expect((await answer(work)).text).toBe(JSON_TEXT);
  });
});

describe("responses of one turn", () => {
  it("leave in several where they are large, and small ones at once (SAFE-4)", async () => {
    const sizes = [5_000_000, 2_000_000, 2_000_000, 2_000_000, 10];
    const held: ServerResponse[] = [];
    const sent: Promise<number[]> = new Promise((resolve) => {
      server = createServer((_, res) => {
        if (held.push(res) < sizes.length) return;
        for (const [at, size] of sizes.entries())
          writeJson(held[at] as ServerResponse, 200, "1".repeat(size));
        const perTurn: number[] = [];
        const count = (): void => {
          perTurn.push(held.filter(({ headersSent }) => headersSent).length);
          if (perTurn.length === 3) resolve(perTurn);
          else setImmediate(count);
        };
        setImmediate(count);
      }).listen(0, "127.0.0.1");
    });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answers = sizes.map(async () => (await (await fetch(url)).text()).length);
    expect(await sent).toEqual([2, 4, 5]);
    expect((await Promise.all(answers)).toSorted((a, b) => b - a)).toEqual(sizes);
  });

  it.each([
    ["JSON", { json: true, stream: false }],
    ["events", { json: false, stream: true }],
  ])(
    "leave in turns of their callers where they are large, as %s, and none to a client that has left (SAFE-5)",
    async (_, accepted) => {
      const large: Reply = { kind: "bytes", pieces: [Buffer.alloc(3_000_000, "1")] };
      const callers = ["flood", "flood", "flood", "gone", "flood", "other"];
      const held: ServerResponse[] = [];
      const order: string[] = [];
      const written = new Promise<void>((resolve) => {
        server = createServer((_, res) => {
          if (held.push(res) < callers.length) return;
          const left = new Promise((close) => held[3]?.on("close", close));
          held[3]?.destroy();
          void left.then(() => {
            for (const [at, res] of held.entries()) {
              const callerKey = callers[at] as string;
              res.on("prefinish", () => order.push(callerKey));
              createPostResponse({
                res,
                callerKey,
                accepted,
                writers: createSseWriters(),
                log: undefined,
              }).finishWith(7, large);
            }
            const wait = (): void => void (order.length < 5 ? setImmediate(wait) : resolve());
            wait();
          });
        }).listen(0, "127.0.0.1");
      });
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const answers = Promise.allSettled(callers.map(async () => (await fetch(url)).arrayBuffer()));
      await written;
      expect(order).toEqual(["flood", "other", "flood", "flood", "flood"]);
      const outcomes = await answers;
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(5);
    },
  );

  it("leave in the order of their stream: what is small waits for what is large, and so does the end (SAFE-4)", async () => {
    const large = '"'.padEnd(3_000_000, "x").concat('"');
    const messages = ['"first"', large, '"second"', large, '"third"'];
    const { text } = await answer(
      (post) => {
        for (const json of messages) post.send(json);
        post.finish('"last"');
      },
      { json: false, stream: true },
    );
    const sent = [...messages, '"last"'];
    const frames = sent.map((json, at) => `event: message\nid: 0-${at + 1}\ndata: ${json}\n\n`);
    expect(text === frames.join("")).toBe(true);
  });

  it("leave one large event of a stream in a turn, in turns with others (SAFE-5)", async () => {
    const large = "1".repeat(3_000_000);
    const order: string[] = [];
    const written = new Promise<void>((resolve) => {
      const held: ServerResponse[] = [];
      server = createServer((_, res) => {
        if (held.push(res) < 2) return;
        const posts = held.map((res, at) => {
          const write = res.write.bind(res);
          res.write = ((part: string) => {
            order.push(`${at} ${part.length > large.length ? "large" : "small"}`);
            return write(part);
          }) as typeof res.write;
          const accepted = { json: false, stream: true };
          const writers = createSseWriters();
          return createPostResponse({ res, callerKey: `caller:${at}`, accepted, writers, log: undefined });
        });
        for (const post of posts) {
          for (const json of [large, "1", large]) post.send(json);
          post.finish("1");
        }
        held[1]?.on("finish", resolve);
      }).listen(0, "127.0.0.1");
    });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const answers = [0, 1].map(async () => (await fetch(url)).arrayBuffer());
    await written;
    const each = ["large", "small"];
    expect(order).toEqual([0, 1, 0, 1].flatMap((at) => each.map((size) => `${at} ${size}`)));
    await Promise.all(answers);
  });
});
