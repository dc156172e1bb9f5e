// /metrics of a running gateway, read by a real parser of Prometheus' text: what is counted, under which labels, and what never
// is in it (OBS-1, ID-10).

import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import parsePrometheusTextFormat from "parse-prometheus-text-format";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { METRICS } from "../../packages/onym/src/telemetry/metrics/metric-table.js";
import { startCollector } from "../../packages/onym/src/telemetry/testing/start-collector.js";
import type { RunningOnym } from "./harness.js";
import { createStage, type Stage } from "./harness-boxes.js";
import { askLegacy, askModern } from "./harness-raw.js";

let stage: Stage;
beforeAll(async () => {
  stage = await createStage();
});
afterAll(() => stage.close());

type Json = Readonly<Record<string, unknown>>;

interface ParsedSample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value?: string;
  readonly count?: string;
}

async function scrape({ url }: RunningOnym, headers: Readonly<Record<string, string>> = {}) {
  const answer = await fetch(new URL("/metrics", url), { headers });
  return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
}

async function read(onym: RunningOnym): Promise<(name: string, labels?: Json) => number> {
  const { text } = await scrape(onym);
  const families = parsePrometheusTextFormat(text);
  return (name, labels = {}) =>
    (families.find((family) => family.name === name)?.metrics ?? [])
      .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels?.[key] === value))
      .reduce((sum, sample) => sum + Number(sample.value ?? sample.count), 0);
}

function call({ url }: RunningOnym, name: string, args: Json = {}, ask = askModern) {
  return ask({ url: `${url}/openai`, method: "tools/call", params: { name, arguments: args } });
}

const CANARY = "c4nary-9f2b";

describe("/metrics (OBS-1)", () => {
  it("counts calls, refusals, steps and former names once each, for both eras, and tells of servers", async () => {
    const behaviours = [
      { tool: "fail", fail: "isError" },
      { tool: "broken", fail: "error" },
    ] as const;
    const onym = await stage.start({
      args: ["--metrics"],
      config: {
        mcpServers: {
          mail: stage.entry({
            label: "mail",
            tools: ["send", "fail", "broken", "denied", "asked"],
            behaviours,
          }),
          gone: { command: process.execPath, args: ["-e", "process.exit(3)"] },
        },
        policy: {
          rules: [
            { effect: "deny", tool: "*/denied@*" },
            { effect: "ask", tool: "*/asked@*" },
          ],
        },
        renames: [{ from: "mail_post", to: "mail@1/send@1" }],
      },
    });
    await onym.said(/down\s+gone/);
    for (const ask of [askModern, askLegacy]) {
      await call(onym, "mail_send", {}, ask);
      await call(onym, "mail_post", {}, ask);
      await call(onym, "mail_fail", {}, ask);
      await call(onym, "mail_broken", {}, ask);
      await call(onym, "mail_denied", {}, ask);
      await call(onym, "mail_asked", {}, ask);
      await call(onym, "no_such_tool", {}, ask);
    }
    const value = await read(onym);
    const send = { tool: "mail@1/send@1", server: "mail" };
    expect(value("onym_calls_total", { ...send, outcome: "result" })).toBe(4);
    expect(value("onym_calls_total", { tool: "mail@1/fail@1", outcome: "tool_error" })).toBe(2);
    expect(value("onym_calls_total", { tool: "mail@1/broken@1", outcome: "error" })).toBe(2);
    expect(value("onym_calls_total", { tool: "mail@1/asked@1", outcome: "refused" })).toBe(2);
    // What leads nowhere, and what the caller must not see, under one label.
    expect(value("onym_calls_total", { tool: "unknown", outcome: "refused" })).toBe(4);
    // The parser does not tell histograms with labels apart.
    expect((await scrape(onym)).text).toMatch(
      /onym_call_duration_seconds_count\{[^}]*tool="mail@1\/send@1",server="mail"\} 4\n/,
    );
    expect(value("onym_gateway_duration_seconds")).toBe(14);
    expect(value("onym_deprecated_calls_total", send)).toBe(2);
    expect(value("onym_resolutions_total", { step: "unknown" })).toBe(4);
    expect(value("onym_refusals_total", { reason: "unknown" })).toBe(2);
    expect(value("onym_refusals_total", { reason: "policy" })).toBe(2);
    expect(value("onym_refusals_total", { reason: "not-approved" })).toBe(2);
    expect(value("onym_requests_total", { method: "tools/call" })).toBe(14);
    expect(value("onym_server_up", { server: "mail" })).toBe(1);
    expect(value("onym_server_up", { server: "gone" })).toBe(0);
    expect(value("onym_server_failures_total", { server: "gone" })).toBe(1);
    expect(value("onym_approvals_waiting")).toBe(1);
    expect(value("onym_tools")).toBe(5);
    expect(value("onym_store_up")).toBe(1);
    expect(value("process_resident_memory_bytes")).toBeGreaterThan(1_000_000);
  });

  it("keeps the series of a renamed tool by its key (ID-10)", async () => {
    const config = (tools: readonly string[], renames: readonly Json[]) => ({
      metrics: true,
      mcpServers: { mail: stage.entry({ label: `renamed-${tools.join()}`, tools }) },
      renames,
    });
    const onym = await stage.start({ config: config(["post"], []) });
    await call(onym, "mail_post");
    const [sample] = await samplesOf(onym, "onym_calls_total");
    const { tool_key: key = "" } = sample?.labels ?? {};
    const next = config(["send"], [{ from: "mail@1/post@1", to: "mail@1/send@1" }]);
    writeFileSync(join(onym.dir, "onym.json"), JSON.stringify(next));
    await onym.said(/config in force/);
    expect((await call(onym, "mail_send")).result).toBeDefined();
    expect((await read(onym))("onym_calls_total", { tool_key: key, outcome: "result" })).toBe(2);
  });

  it("counts tools beyond a thousand under other, so that labels stay few", async () => {
    const tools = Array.from({ length: 1_100 }, (_, index) => `tool_${index}`);
    const onym = await stage.start({
      config: { metrics: true, mcpServers: { many: stage.entry({ label: "many", tools }) } },
    });
    for (const tool of tools) await call(onym, `many_${tool}`);
    for (let count = 0; count < 50; count++) await call(onym, `nonsense_${count}`);
    const samples = await samplesOf(onym, "onym_calls_total");
    expect(samples.length).toBeLessThanOrEqual(1_002);
    const value = await read(onym);
    expect(value("onym_calls_total", { tool: "other", outcome: "result" })).toBe(100);
    expect(value("onym_calls_total", { tool: "unknown" })).toBe(50);
  });

  it("is read with the callers' own tokens, not by who sees some toolboxes only, and not where nobody asked for it", async () => {
    const hashOf = async (token: string) => {
      const { createHash } = await import("node:crypto");
      return `sha256:${createHash("sha256").update(token).digest("hex")}`;
    };
    const [all, some] = ["a".repeat(43), "b".repeat(43)];
    const tokens = [
      { name: "prometheus", hash: await hashOf(all) },
      { name: "confined", hash: await hashOf(some), toolboxes: ["box"] },
    ];
    const toolboxes = { box: { mcpServers: {} } };
    const onym = await stage.start({
      config: { metrics: true, auth: { tokens }, mcpServers: {}, toolboxes },
    });
    expect((await scrape(onym)).status).toBe(401);
    expect((await scrape(onym, { authorization: `Bearer ${some}` })).status).toBe(403);
    const answer = await scrape(onym, { authorization: `Bearer ${all}` });
    expect([answer.status, answer.type]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(parsePrometheusTextFormat(answer.text).length).toBe(Object.keys(METRICS).length);
    // The refusal of the edge is counted, that of /metrics itself is no request of a client.
    await askModern({ url: onym.url, method: "tools/list" });
    const after = await scrape(onym, { authorization: `Bearer ${all}` });
    expect(after.text).toContain('onym_refusals_total{reason="unauthenticated"} 1');
    const off = await stage.start({ config: { mcpServers: {} } });
    expect((await scrape(off)).status).toBe(404);
  });

  it("holds nothing secret: not arguments, results, errors, headers or environments (SAFE-1)", async () => {
    const collector = await startCollector();
    const behaviours = [{ tool: "broken", fail: "error" }] as const;
    const onym = await stage.start({
      args: ["--metrics", "--verbose"],
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "20" },
      config: {
        mcpServers: {
          mail: {
            ...stage.entry({ label: "canary", tools: ["send", "broken"], behaviours }),
            env: { API_KEY: CANARY },
          },
        },
        policy: { rules: [{ effect: "ask", tool: "*/asked@*" }] },
      },
    });
    const headers = { authorization: `Bearer ${CANARY}`, cookie: `session=${CANARY}` };
    for (const name of ["mail_send", "mail_broken", "mail_nothing"])
      await askModern({
        url: onym.url,
        method: "tools/call",
        params: { name, arguments: { password: CANARY } },
        headers,
      });
    await collector.reach(({ kind }) => kind === 2, 3);
    const { text } = await scrape(onym);
    expect(text).toContain("mail@1/send@1");
    expect(text).not.toContain(CANARY);
    expect(onym.stderr()).not.toContain(CANARY);
    expect(JSON.stringify(collector.spans())).not.toContain(CANARY);
    await collector.close();
  });
});

async function samplesOf(onym: RunningOnym, name: string): Promise<readonly ParsedSample[]> {
  const families = parsePrometheusTextFormat((await scrape(onym)).text);
  return families.find((family) => family.name === name)?.metrics ?? [];
}

describe("the log (OBS-2)", () => {
  it("tells each refusal once, with its reason, and the ids of its request and trace", async () => {
    const onym = await stage.start({
      args: ["--verbose"],
      config: {
        mcpServers: { mail: stage.entry({ label: "logged", tools: ["send", "denied"] }) },
        policy: { rules: [{ effect: "deny", tool: "*/denied@*" }] },
      },
      env: { OTEL_TRACES_EXPORTER: "otlp", OTEL_BSP_SCHEDULE_DELAY: "100000" },
    });
    const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const _meta = { traceparent: `00-${trace}-00f067aa0ba902b7-01` };
    for (const name of ["nothing", "mail_denied", "mail_send"])
      await askModern({ url: onym.url, method: "tools/call", params: { name, arguments: {}, _meta } });
    const refused = onym
      .stderr()
      .split("\n")
      .filter((line) => line.includes("request refused"));
    expect(refused).toEqual([
      expect.stringMatching(`reason=unknown .*request=1 trace=${trace} .*name=nothing`),
      expect.stringMatching(`reason=policy .*request=1 trace=${trace} .*name=mail_denied`),
    ]);
  });
});

describe("the log of requests that are refused before they are read (OBS-2)", () => {
  it("tells each once, with its reason: no token, another host", async () => {
    const hash = `sha256:${"0".repeat(64)}`;
    const onym = await stage.start({
      args: ["--verbose"],
      config: { auth: { tokens: [{ name: "ann", hash }] }, mcpServers: {} },
    });
    await askModern({ url: onym.url, method: "tools/list" });
    await ask(new URL("/mcp", onym.url), "evil.example");
    await onym.said(/reason=host/);
    const refused = onym
      .stderr()
      .split("\n")
      .flatMap((line) => /request refused reason=(\S+)/.exec(line)?.[1] ?? []);
    expect(refused).toEqual(["unauthenticated", "host"]);
  });
});

/** With any Host header, which fetch does not allow. */
function ask(url: URL, host: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    request(url, { headers: { host } }, (answer) => {
      let body = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        body += part;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}

describe("probes (OBS-2)", () => {
  const gone = { command: process.execPath, args: ["-e", "process.exit(3)"] };

  it("answer any Host, and disclose nothing to it; everything else does not", async () => {
    const onym = await stage.start({ args: ["--metrics"], config: { mcpServers: { gone } } });
    await onym.said(/down\s+gone/);
    for (const host of ["10.1.2.3:6696", "evil.example", "[fd00::7]:6696"]) {
      for (const path of ["/healthz", "/readyz"])
        expect(await ask(new URL(path, onym.url), host)).toEqual({ status: 200, body: '{"status":"ok"}' });
      for (const path of ["/", "/metrics", "/mcp", "/healthz/x"])
        expect((await ask(new URL(path, onym.url), host)).status).toBe(403);
    }
  });

  it("tell an allowed Host no more, not even with --allow-host '*'; what is down is told at / to callers", async () => {
    const onym = await stage.start({ args: ["--allow-host", "*"], config: { mcpServers: { gone } } });
    await onym.said(/down\s+gone/);
    for (const host of ["anything.example", "localhost"])
      for (const path of ["/healthz", "/readyz"])
        expect(await ask(new URL(path, onym.url), host)).toEqual({ status: 200, body: '{"status":"ok"}' });
    expect(JSON.parse((await ask(new URL("/", onym.url), "localhost")).body)).toMatchObject({
      name: "onym",
      status: "ready",
      servers: [{ server: "gone", state: "failed" }],
    });
  });

  it("the address that it listens on is an allowed host, and * allows any, but no page of another one", async () => {
    const config = { mcpServers: {} };
    const own = await stage.start({ config, args: ["--host", "127.0.0.2"] });
    expect((await ask(new URL("/", own.url), "127.0.0.2")).status).toBe(200);
    const any = await stage.start({ config, args: ["--allow-host", "*"] });
    expect((await ask(new URL("/", any.url), "anything.example")).status).toBe(200);
    const page = (origin: string) => fetch(new URL("/", any.url), { headers: { origin } });
    expect((await page("http://evil.example")).status).toBe(403);
    await expect(stage.start({ config, args: ["--allow-host", "http://x.example/"] })).rejects.toThrow(
      /is no host/,
    );
  });
});
