import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { Pool as Plain } from "undici";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Pool as Fast } from "../../../../../tools/fast-path/undici-pool.mjs";

let server: Server;
let origin: string;
let fast: Plain;
let plain: Plain;
beforeAll(async () => {
  // Sends back what it got, as the request asks for it.
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method, url, headers } = request;
      const [, status = "200", cut = "0"] = (url ?? "").split("/");
      response.writeHead(Number(status), {
        "content-type": "application/json",
        "set-cookie": ["a=1", "b=2"],
      });
      const text = JSON.stringify({ method, url, headers });
      if (cut === "1") response.write(text, () => response.destroy());
      else response.end(text + Buffer.concat(parts).toString("latin1"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const options = { headersTimeout: 0, bodyTimeout: 0, connections: 1 };
  fast = new Fast(origin, options);
  plain = new Plain(origin, options);
});
afterAll(async () => {
  await Promise.all([fast.destroy(), plain.destroy()]);
  server.close();
});

interface Sent {
  readonly method: "POST" | "GET" | "DELETE";
  readonly path: string;
  readonly headers: string[];
  readonly body: string | null;
}

/** All that a handler hears, with the body in one piece. */
function hear(pool: Plain, sent: Sent): Promise<readonly unknown[]> {
  const heard: unknown[] = [];
  let body = "";
  return new Promise((resolve) => {
    try {
      pool.dispatch(sent, {
        onRequestStart: () => heard.push("start"),
        onResponseStart: (_, status, { date: _date, ...headers }) => heard.push([status, headers]),
        onResponseData: (_, bytes) => {
          body += bytes.toString("utf8");
        },
        onResponseEnd: () => resolve([...heard, body, "end"]),
        onResponseError: (_, error) =>
          resolve([...heard, body, error.name, "code" in error ? error.code : ""]),
      });
    } catch (error) {
      resolve([...heard, String(error)]);
    }
  });
}

it("the part of undici that is in the bundle does what undici does", async () => {
  const sent = fc.record({
    method: fc.constantFrom("POST" as const, "GET" as const, "DELETE" as const),
    path: fc
      .tuple(fc.constantFrom(200, 202, 204, 401, 404, 500), fc.constantFrom(0, 0, 1))
      .map(([status, cut]) => `/${status}/${cut}`),
    headers: fc
      .array(fc.tuple(fc.stringMatching(/^x-[a-z]{1,5}$/), fc.string({ maxLength: 10 })), { maxLength: 4 })
      .map((pairs) => pairs.flat()),
    body: fc.option(fc.string({ maxLength: 2000 })),
  });
  await fc.assert(
    fc.asyncProperty(sent, async (each) => {
      expect(await hear(fast, each)).toEqual(await hear(plain, each));
    }),
    { numRuns: 60 },
  );
});

it("it says the same where nothing listens", async () => {
  const nowhere = "http://127.0.0.1:1";
  const sent: Sent = { method: "POST", path: "/", headers: [], body: "x" };
  const [one, other] = await Promise.all([Fast, Plain].map((Each) => hear(new Each(nowhere), sent)));
  expect(one).toEqual(other);
  expect(one).toContain("ECONNREFUSED");
});
