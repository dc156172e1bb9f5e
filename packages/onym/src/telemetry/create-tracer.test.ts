import { createServer } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createTracer, type Tracer } from "./create-tracer.js";
import { readTraceSettings } from "./read-trace-settings.js";
import { type Collector, startCollector } from "./testing/start-collector.js";

const SECRET = "s3cret-of-the-collector";
const ending: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

async function openCollector(): Promise<Collector> {
  const collector = await startCollector();
  ending.push(collector.close);
  return collector;
}

async function openTracer(url: string, env: Readonly<Record<string, string>> = {}) {
  const { settings } = readTraceSettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-key=${SECRET}`,
    OTEL_BSP_SCHEDULE_DELAY: "10",
    ...env,
  });
  if (settings === undefined) throw new Error("nothing is traced");
  const lines: string[] = [];
  let wake = (): void => {};
  const tracer = await createTracer({
    settings,
    version: "1.2.3",
    log: (severity, text, facts) => {
      lines.push(`${severity} ${text} ${JSON.stringify(facts)}`);
      wake();
    },
  });
  ending.push(tracer.close);
  const said = (pattern: RegExp): Promise<void> =>
    new Promise((resolve) => {
      wake = () => void (lines.some((line) => pattern.test(line)) && resolve());
      wake();
    });
  return { tracer, lines, said };
}

function trace(tracer: Tracer, count: number): void {
  for (let index = 0; index < count; index += 1) tracer.begin(`span ${index}`, undefined).end();
}

describe("spans reach the collector", () => {
  it("with the headers and the resource of the environment", async () => {
    const collector = await openCollector();
    const { tracer, lines } = await openTracer(collector.url, {
      OTEL_SERVICE_NAME: 'my "gateway"',
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    });
    trace(tracer, 1);
    await collector.took(1);
    const [batch] = collector.batches;
    expect(batch?.path).toBe("/v1/traces");
    expect(batch?.headers).toMatchObject({ "x-key": SECRET, "content-type": "application/json" });
    expect(batch?.resource).toMatchObject({
      "service.name": 'my "gateway"',
      "service.version": "1.2.3",
      "deployment.environment": "test",
    });
    expect(lines).toEqual([]);
  });

  it("however long there were none before", async () => {
    const collector = await openCollector();
    const { tracer } = await openTracer(collector.url, { OTEL_BSP_SCHEDULE_DELAY: "1" });
    for (let batches = 1; batches <= 3; batches += 1) {
      // Some rounds of the timer with nothing to do.
      for (let round = 0; round < 5; round += 1) await new Promise((resolve) => setTimeout(resolve, 1));
      trace(tracer, 1);
      await collector.took(batches);
    }
  });

  it("at once when a batch is full, one connection for all, and the rest at the end", async () => {
    const collector = await openCollector();
    const { tracer, lines } = await openTracer(collector.url, {
      OTEL_BSP_SCHEDULE_DELAY: "1000000",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10",
    });
    const ports = new Set<number | undefined>();
    collector.answer((res, req) => {
      ports.add(req.socket.remotePort);
      res.end("{}");
    });
    trace(tracer, 25);
    await collector.took(2);
    await tracer.close();
    expect(collector.batches.map(({ spans }) => spans.length)).toEqual([10, 10, 5]);
    expect(new Set(collector.spans().map(({ spanId }) => spanId)).size).toBe(25);
    expect(ports.size).toBe(1);
    expect(lines).toEqual([]);
  });
});

describe("a collector that cannot take them", () => {
  it("for a while gets them when it is back; one line tells when it goes, one when it comes", async () => {
    const collector = await openCollector();
    let refused = 0;
    collector.answer((res) => {
      refused += 1;
      res.writeHead(refused <= 3 ? 503 : 200).end();
    });
    const { tracer, lines, said } = await openTracer(collector.url);
    trace(tracer, 3);
    await said(/again/);
    await tracer.close();
    expect(collector.batches).toHaveLength(4);
    expect(new Set(collector.spans().map(({ spanId }) => spanId)).size).toBe(3);
    expect(lines).toEqual([
      expect.stringContaining("warn spans cannot be delivered: HTTP 503; 0 spans are lost so far"),
      expect.stringContaining("warn spans are delivered again; 0 spans are lost so far"),
    ]);
    expect(lines.join()).not.toContain(SECRET);
  });

  it.each([
    [400, "HTTP 400"],
    [401, "HTTP 401"],
    [413, "HTTP 413"],
    [500, "HTTP 500"],
    [307, "leads elsewhere"],
  ])("and says %i loses them, and is asked once for each batch", async (status, reason) => {
    const collector = await openCollector();
    const elsewhere = await openCollector();
    collector.answer((res) => res.writeHead(status, { location: `${elsewhere.url}/v1/traces` }).end(SECRET));
    const { tracer, lines, said } = await openTracer(collector.url);
    trace(tracer, 2);
    await said(new RegExp(`cannot be delivered: .*${reason}.*; 2 spans are lost so far`));
    await tracer.close();
    expect(collector.batches).toHaveLength(1);
    expect(elsewhere.batches).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toContain(SECRET);
  });

  it("because nothing listens there is told once, with its address and nothing else of it", async () => {
    const { tracer, lines, said } = await openTracer(`http://user:${SECRET}@127.0.0.1:1`, {
      OTEL_BSP_MAX_QUEUE_SIZE: "8",
    });
    trace(tracer, 20);
    await said(/ECONNREFUSED/);
    trace(tracer, 20);
    await tracer.close();
    const told = lines.filter((line) => line.includes("cannot be delivered"));
    expect(told).toEqual([expect.stringContaining("http://127.0.0.1:1")]);
    expect(lines.at(-1)).toMatch(/before the end; 40 spans are lost/);
    expect(lines.join()).not.toContain(SECRET);
  });

  it("because it never answers is given up, and holds up neither calls nor the end", async () => {
    const silent = createServer((socket) => socket.on("error", () => {}));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const address = silent.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    ending.push(() => silent.close());
    const { tracer, said } = await openTracer(`http://127.0.0.1:${port}`, {
      OTEL_EXPORTER_OTLP_TIMEOUT: "20",
    });
    trace(tracer, 1);
    await said(/no answer within 20 ms/);
    await tracer.close();
    await said(/before the end/);
  });

  it("because its answer has no end is left, and the next batch is delivered", async () => {
    const collector = await openCollector();
    const { tracer, lines } = await openTracer(collector.url);
    collector.answer((res) => {
      const more = (): void => {
        while (!res.destroyed && res.write("x".repeat(65_536)));
        if (!res.destroyed) res.once("drain", more);
      };
      more();
    });
    trace(tracer, 1);
    await collector.took(1);
    collector.answer((res) => void res.end());
    trace(tracer, 1);
    await collector.took(2);
    await tracer.close();
    expect(lines.join()).not.toContain(SECRET);
  });

  it("and says so before it has read them is left at once", async () => {
    const early = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => socket.write("HTTP/1.1 413 No\r\nContent-Length: 0\r\n\r\n"));
    });
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
    const address = early.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    ending.push(() => early.close());
    const { tracer, said } = await openTracer(`http://127.0.0.1:${port}`, {
      OTEL_BSP_MAX_QUEUE_SIZE: "20000",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "20000",
    });
    // More than the buffers of a connection hold.
    for (let index = 0; index < 20_000; index += 1) {
      const span = tracer.begin("x", undefined);
      span.set("much", "x".repeat(900));
      span.end();
    }
    await said(/HTTP 413; 20000 spans are lost/);
  });

  it("fast enough loses what is over the bound, and no more than that is kept", async () => {
    const collector = await openCollector();
    const { tracer, lines } = await openTracer(collector.url, {
      OTEL_BSP_SCHEDULE_DELAY: "1000000",
      OTEL_BSP_MAX_QUEUE_SIZE: "5",
    });
    trace(tracer, 100);
    await tracer.close();
    expect(collector.spans()).toHaveLength(5);
    expect(lines).toEqual([expect.stringContaining("95 spans are lost so far")]);
  });
});
