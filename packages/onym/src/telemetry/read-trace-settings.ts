// Reads the OpenTelemetry environment variables: where spans go, and which. The variables apply to the whole
// machine, so they never prevent Onym from starting: unusable values are reported and ignored.

import { validateHeaderName, validateHeaderValue } from "node:http";
import type { TraceContext } from "./trace-context.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface TraceSettings {
  readonly url: URL;
  /** Lower-case names. Values may be secrets. */
  readonly headers: ReadonlyMap<string, string>;
  readonly timeoutMs: number;
  readonly sampler: Sampler;
  /** Attributes of this process in addition to Onym's own. */
  readonly resource: ReadonlyMap<string, string>;
  readonly batch: {
    readonly delayMs: number;
    readonly queueSize: number;
    readonly batchSize: number;
  };
}

export interface ReadTraceSettings {
  /** `undefined`: nothing is traced. */
  readonly settings: TraceSettings | undefined;
  /** For people to read, without values that may be secrets. */
  readonly problems: readonly string[];
}

const OFF: ReadTraceSettings = { settings: undefined, problems: [] };
const DEFAULT_ENDPOINT = "http://localhost:4318";
const DEFAULT_SAMPLER = "parentbased_always_on";
const PROTOCOLS = ["http/json", "http/protobuf"];

export function readTraceSettings(env: Environment): ReadTraceSettings {
  const problems: string[] = [];
  /** An empty variable counts as not set. */
  const read = (
    ...names: readonly string[]
  ): { readonly name: string; readonly value: string } | undefined => {
    for (const name of names) {
      const value = env[name]?.trim();
      if (value !== undefined && value !== "") return { name, value };
    }
    return undefined;
  };
  const give = (problem: string): ReadTraceSettings => ({ settings: undefined, problems: [problem] });

  if (read("OTEL_SDK_DISABLED")?.value.toLowerCase() === "true") return OFF;
  const exporter = read("OTEL_TRACES_EXPORTER")?.value;
  if (exporter === "none") return OFF;
  if (exporter !== undefined && exporter !== "otlp")
    return give("nothing is traced: OTEL_TRACES_EXPORTER knows otlp and none here");
  const own = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  const shared = read("OTEL_EXPORTER_OTLP_ENDPOINT");
  if (own === undefined && shared === undefined && exporter === undefined) return OFF;
  const protocol = read("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL");
  if (protocol !== undefined && !PROTOCOLS.includes(protocol.value))
    return give(`nothing is traced: spans are sent as http/json, and ${protocol.name} asks for another way`);
  const url = parseEndpoint(own?.value ?? `${withoutSlashes(shared?.value ?? DEFAULT_ENDPOINT)}/v1/traces`);
  if (url === undefined)
    return give(`nothing is traced: ${(own ?? shared)?.name ?? "the endpoint"} is no http(s) address`);

  const number = (names: readonly string[], fallback: number, least: number): number => {
    const found = read(...names);
    if (found === undefined) return fallback;
    const value = Number(found.value);
    if (Number.isSafeInteger(value) && value >= least && value <= 2 ** 31 - 1) return value;
    problems.push(`${found.name} is no whole number from ${least} up; ${fallback} is used`);
    return fallback;
  };
  const queueSize = number(["OTEL_BSP_MAX_QUEUE_SIZE"], 2048, 1);
  const settings: TraceSettings = {
    url,
    headers: readHeaders(
      ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"].flatMap((name) => read(name) ?? []),
      problems,
    ),
    timeoutMs: number(["OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "OTEL_EXPORTER_OTLP_TIMEOUT"], 10_000, 1),
    sampler: readSampler(
      read("OTEL_TRACES_SAMPLER")?.value,
      read("OTEL_TRACES_SAMPLER_ARG")?.value,
      problems,
    ),
    resource: readResource(
      read("OTEL_RESOURCE_ATTRIBUTES")?.value,
      read("OTEL_SERVICE_NAME")?.value,
      problems,
    ),
    batch: {
      delayMs: number(["OTEL_BSP_SCHEDULE_DELAY"], 5_000, 1),
      queueSize,
      batchSize: Math.min(queueSize, number(["OTEL_BSP_MAX_EXPORT_BATCH_SIZE"], 512, 1)),
    },
  };
  return { settings, problems };
}

export function parseEndpoint(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url : undefined;
}

export function readHeaders(
  variables: readonly { readonly name: string; readonly value: string }[],
  problems: string[],
): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const { name: variable, value: list } of variables) {
    for (const [name, value] of readPairs(list, variable, problems)) {
      try {
        validateHeaderName(name);
        validateHeaderValue(name, value);
        headers.set(name.toLowerCase(), value);
      } catch {
        problems.push(`${variable} has an entry that is no header; it is left out`);
      }
    }
  }
  return headers;
}

function readResource(
  list: string | undefined,
  service: string | undefined,
  problems: string[],
): ReadonlyMap<string, string> {
  const attributes = new Map(list === undefined ? [] : readPairs(list, "OTEL_RESOURCE_ATTRIBUTES", problems));
  if (service !== undefined) attributes.set("service.name", service);
  return attributes;
}

/** `key=value,key=value`, with percent-encoded values, as in W3C Baggage. */
function readPairs(list: string, variable: string, problems: string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (const entry of list.split(",")) {
    if (entry.trim() === "") continue;
    const at = entry.indexOf("=");
    try {
      const pair: [string, string] = [
        decodeURIComponent(entry.slice(0, at).trim()),
        decodeURIComponent(entry.slice(at + 1).trim()),
      ];
      if (at > 0 && pair[0] !== "") pairs.push(pair);
      else problems.push(`${variable} has an entry that is no name=value; it is left out`);
    } catch {
      problems.push(`${variable} has an entry that cannot be decoded; it is left out`);
    }
  }
  return pairs;
}

function readSampler(name = DEFAULT_SAMPLER, arg: string | undefined, problems: string[]): Sampler {
  const ratio = arg === undefined ? 1 : Number(arg);
  const isRatio = ratio >= 0 && ratio <= 1;
  if (name.endsWith("traceidratio") && !isRatio)
    problems.push("OTEL_TRACES_SAMPLER_ARG is no number from 0 to 1; 1 is used");
  const sampler = samplerNamed(name, isRatio ? ratio : 1);
  if (sampler !== undefined) return sampler;
  problems.push(`OTEL_TRACES_SAMPLER is none of ${SAMPLER_NAMES.join(", ")}; ${DEFAULT_SAMPLER} is used`);
  return readSampler(DEFAULT_SAMPLER, undefined, problems);
}

export function withoutSlashes(address: string): string {
  let end = address.length;
  while (address.charAt(end - 1) === "/") end--;
  return address.slice(0, end);
}

/** Whether to record the trace. `parent` is set if the request already belongs to a trace. */
type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

const always: Sampler = () => true;
const never: Sampler = () => false;

/** Decides by the last bytes of the id, so all systems with the same ratio keep the same traces. */
function byRatio(ratio: number): Sampler {
  const bound = ratio * 2 ** 48;
  return (traceId) => Number.parseInt(traceId.slice(20), 16) < bound;
}

/** The system that started the trace has decided. */
function byParent(root: Sampler): Sampler {
  return (traceId, parent) => (parent === undefined ? root(traceId, parent) : parent.isSampled);
}

const SAMPLERS: ReadonlyMap<string, (ratio: number) => Sampler> = new Map([
  ["always_on", () => always],
  ["always_off", () => never],
  ["traceidratio", byRatio],
  ["parentbased_always_on", () => byParent(always)],
  ["parentbased_always_off", () => byParent(never)],
  ["parentbased_traceidratio", (ratio: number) => byParent(byRatio(ratio))],
]);

const SAMPLER_NAMES: readonly string[] = [...SAMPLERS.keys()];

/** `undefined` if the name is not one of `SAMPLER_NAMES`. */
function samplerNamed(name: string, ratio: number): Sampler | undefined {
  return SAMPLERS.get(name)?.(ratio);
}
