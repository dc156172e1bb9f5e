import { describe, expect, it } from "vitest";
import { readTraceSettings } from "./read-trace-settings.js";
import { newTraceId } from "./span.js";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const on = { [ENDPOINT]: "http://127.0.0.1:4318" };

describe("nothing is traced", () => {
  it.each([
    [{}],
    [{ OTEL_SERVICE_NAME: "x" }],
    [{ [ENDPOINT]: "" }],
    [{ ...on, OTEL_SDK_DISABLED: "TRUE" }],
    [{ ...on, OTEL_TRACES_EXPORTER: "none" }],
  ])("and nothing is said with %j", (env) => {
    expect(readTraceSettings(env)).toEqual({ settings: undefined, problems: [] });
  });

  it.each([
    [{ [ENDPOINT]: "collector:4318" }, ENDPOINT],
    [{ [ENDPOINT]: "unix:/tmp/x" }, ENDPOINT],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "?" }, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"],
    [{ ...on, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL"],
    [{ ...on, OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER"],
  ])("and the reason is told with %j", (env, variable) => {
    const { settings, problems } = readTraceSettings(env);
    expect(settings).toBeUndefined();
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(variable);
  });
});

describe("the address of the collector", () => {
  it.each([
    [on, "http://127.0.0.1:4318/v1/traces"],
    [{ [ENDPOINT]: "https://example.com/otlp/" }, "https://example.com/otlp/v1/traces"],
    [
      { ...on, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://example.com/mine?k=v" },
      "http://example.com/mine?k=v",
    ],
    [{ OTEL_TRACES_EXPORTER: "otlp" }, "http://localhost:4318/v1/traces"],
    [{ ...on, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }, "http://127.0.0.1:4318/v1/traces"],
  ])("with %j is %s", (env, url) => {
    const { settings, problems } = readTraceSettings(env);
    expect(settings?.url.href).toBe(url);
    expect(problems).toEqual([]);
  });
});

describe("headers and the resource", () => {
  it("are lists of pairs, decoded, the own ones over the shared ones", () => {
    const { settings, problems } = readTraceSettings({
      ...on,
      OTEL_EXPORTER_OTLP_HEADERS: "X-Key=a%20b, other = c=d ,,",
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: "x-key=mine",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=mine,deployment.environment=test,__proto__=x",
      OTEL_SERVICE_NAME: "gateway",
    });
    expect([...(settings?.headers ?? [])]).toEqual([
      ["x-key", "mine"],
      ["other", "c=d"],
    ]);
    expect([...(settings?.resource ?? [])]).toEqual([
      ["service.name", "gateway"],
      ["deployment.environment", "test"],
      ["__proto__", "x"],
    ]);
    expect(problems).toEqual([]);
  });

  it("leave out what is none, and never tell a value", () => {
    const { settings, problems } = readTraceSettings({
      ...on,
      OTEL_EXPORTER_OTLP_HEADERS: "s3cret,bad name=s3cret,x=s3cret%0d%0aHost: evil,y=%zzs3cret,=s3cret,ok=1",
    });
    expect([...(settings?.headers ?? [])]).toEqual([["ok", "1"]]);
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain("s3cret");
  });
});

describe("bounds", () => {
  it("are those of OpenTelemetry", () => {
    const { settings } = readTraceSettings(on);
    expect(settings?.batch).toEqual({ delayMs: 5_000, queueSize: 2_048, batchSize: 512 });
    expect(settings?.timeoutMs).toBe(10_000);
  });

  it("are taken from the environment, where they are numbers", () => {
    const { settings, problems } = readTraceSettings({
      ...on,
      OTEL_BSP_SCHEDULE_DELAY: "100",
      OTEL_BSP_MAX_QUEUE_SIZE: "7",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "-3",
      OTEL_EXPORTER_OTLP_TIMEOUT: "soon",
    });
    expect(settings?.batch).toEqual({ delayMs: 100, queueSize: 7, batchSize: 7 });
    expect(settings?.timeoutMs).toBe(10_000);
    expect(problems).toHaveLength(2);
  });
});

describe("samplers", () => {
  const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  const parent = (isSampled: boolean) => ({
    traceId: TRACE,
    spanId: "00f067aa0ba902b7",
    isSampled,
    state: undefined,
  });
  const samplerOf = (name: string, arg?: string) =>
    readTraceSettings({
      ...on,
      OTEL_TRACES_SAMPLER: name,
      ...(arg === undefined ? {} : { OTEL_TRACES_SAMPLER_ARG: arg }),
    }).settings?.sampler;

  it.each([
    ["always_on", undefined, [true, true, true]],
    ["always_off", undefined, [false, false, false]],
    ["parentbased_always_on", undefined, [true, true, false]],
    ["parentbased_always_off", undefined, [false, true, false]],
    ["traceidratio", "0", [false, false, false]],
    ["traceidratio", "1", [true, true, true]],
    ["parentbased_traceidratio", "0", [false, true, false]],
  ])("%s %s decides of a new trace, a sampled and an unsampled one: %j", (name, arg, wanted) => {
    const sampler = samplerOf(name, arg);
    expect([undefined, parent(true), parent(false)].map((each) => sampler?.(TRACE, each))).toEqual(wanted);
  });

  it("keep about the share that is asked for, and the same traces for the same share", () => {
    const sampler = samplerOf("traceidratio", "0.25");
    const ids = Array.from({ length: 4_000 }, newTraceId);
    const kept = ids.filter((id) => sampler?.(id, undefined));
    expect(kept.length).toBeGreaterThan(700);
    expect(kept.length).toBeLessThan(1_300);
    expect(ids.filter((id) => samplerOf("traceidratio", "0.25")?.(id, undefined))).toEqual(kept);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("that are unknown are told of, and the default is used", () => {
    const { settings, problems } = readTraceSettings({ ...on, OTEL_TRACES_SAMPLER: "xray" });
    expect(problems).toHaveLength(1);
    expect(settings?.sampler(TRACE, parent(false))).toBe(false);
    expect(settings?.sampler(TRACE, undefined)).toBe(true);
  });
});
