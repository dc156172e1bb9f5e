// A traced Onym for tests: a collector, servers that tell what they were sent, and what became of one request.

import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  type CollectedSpan,
  type Collector,
  startCollector,
} from "../../packages/onym/src/telemetry/testing/start-collector.js";
import { createControl } from "../servers/control.js";
import { ONYM_BIN, onymEnvironment, onymFolder } from "./harness.js";
import { askLegacy, askModern, type RawRequest } from "./harness-raw.js";

export const SECRET = "s3cret-of-the-collector";
/** The span of whoever calls. */
export const PARENT = "00f067aa0ba902b7";
export const ERAS = ["legacy", "modern"] as const;
export const ASK = { legacy: askLegacy, modern: askModern };

let traces = 0;

/** A trace of its own for every request, so that its spans are found. */
export function newTrace() {
  traces += 1;
  const id = traces.toString(16).padStart(32, "a");
  return { id, traceparent: `00-${id}-${PARENT}-01` };
}

export function callOf(
  url: string,
  name: string,
  meta?: object,
  headers?: RawRequest["headers"],
): RawRequest {
  const params = { name, arguments: { nonce: "private" }, ...(meta === undefined ? {} : { _meta: meta }) };
  return { url, method: "tools/call", params, ...(headers === undefined ? {} : { headers }) };
}

export interface TracedWorld {
  readonly collector: Collector;
  readonly config: object;
  readonly env: Readonly<Record<string, string>>;
  /** The spans of one trace, once the one that ends last is there. */
  readonly spansOf: (
    trace: string,
  ) => Promise<{ readonly server: CollectedSpan; readonly client: CollectedSpan | undefined }>;
  /** The `_meta` of the first call to a server that fits, as the server got it. */
  readonly metaAt: (
    label: string,
    fits: (meta: Readonly<Record<string, unknown>>) => boolean,
  ) => Promise<Readonly<Record<string, unknown>>>;
  readonly close: () => Promise<void>;
}

export async function openTracedWorld(): Promise<TracedWorld> {
  const control = await createControl();
  const collector = await startCollector();
  const { dir, remove } = onymFolder({});
  const tools = ["echo", "fail", "broken", "denied", "asked"];
  const behaviours = [
    { tool: "fail", fail: "isError" },
    { tool: "broken", fail: "error" },
  ] as const;
  const web = await control.startHttp({ label: "web", eras: ERAS, tools, behaviours });
  const prompts = [{ name: "hello" }];
  return {
    collector,
    config: {
      naming: { style: "dotted", profile: "mcp" },
      policy: {
        default: "allow",
        rules: [
          { effect: "deny", tool: "*/denied*" },
          { effect: "ask", tool: "*/asked*" },
        ],
      },
      mcpServers: {
        pipe: control.stdioEntry({ label: "pipe", eras: ["legacy"], tools, prompts }, dir),
        new: control.stdioEntry({ label: "new", eras: ["modern"], tools }, dir),
        web: { url: web.url },
      },
    },
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer%20${SECRET}`,
      OTEL_BSP_SCHEDULE_DELAY: "20",
    },
    async spansOf(trace) {
      const [server] = await collector.reach(({ traceId, kind }) => traceId === trace && kind === 2);
      const client = collector.spans().find(({ traceId, kind }) => traceId === trace && kind === 3);
      if (server === undefined) throw new Error("no span");
      return { server, client };
    },
    async metaAt(label, fits) {
      const server = await control.server(label);
      const { received } = await server.direct({ do: "received" });
      const metas = (received as { method: string; params?: { _meta?: Record<string, unknown> } }[]).flatMap(
        ({ method, params }) =>
          method === "tools/call" && params?._meta !== undefined ? [params._meta] : [],
      );
      const found = metas.find(fits);
      if (found === undefined) throw new Error(`no such call: ${JSON.stringify(metas)}`);
      return found;
    },
    async close() {
      await control.close();
      await collector.close();
      remove();
    },
  };
}

/** Onym with a client on its standard input and output. */
export function runOnStdio(config: object, env: Readonly<Record<string, string>>) {
  const { dir, remove } = onymFolder({ config });
  const child = spawn(process.execPath, [ONYM_BIN, "serve", "--stdio", "--config", "onym.json"], {
    cwd: dir,
    env: onymEnvironment(dir, env),
  });
  const said = { out: "", err: "" };
  let wake = () => {};
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    said.out += part;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said.err += part;
  });
  return {
    send: (message: object) => void child.stdin.write(`${JSON.stringify(message)}\n`),
    heard: (pattern: RegExp) =>
      new Promise<void>((resolve) => {
        wake = () => void (pattern.test(said.out) && resolve());
        wake();
      }),
    async end() {
      child.stdin.end();
      const [code] = await once(child, "close");
      remove();
      return { code, ...said };
    },
  };
}
