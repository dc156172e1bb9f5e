// Tracing, where the environment asks for it.

import type { Log } from "../../model/log.js";
import type { Tracer } from "../../telemetry/create-tracer.js";

export interface TracingOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: Log;
}

/** `undefined` where nothing is traced. Never fails: the variables are everybody's on the machine. */
export async function openTracing({ env, version, log }: TracingOptions): Promise<Tracer | undefined> {
  // Nothing is loaded for it where nobody has heard of it.
  if (!Object.keys(env).some((name) => name.startsWith("OTEL_"))) return undefined;
  const { readTraceSettings } = await import("../../telemetry/read-trace-settings.js");
  const { settings, problems } = readTraceSettings(env);
  for (const problem of problems) log("warn", problem);
  if (settings === undefined) return undefined;
  const { createTracer } = await import("../../telemetry/create-tracer.js");
  const { url } = settings;
  log("info", "requests are traced", { to: `${url.origin}${url.pathname}` });
  return createTracer({ settings, version, log });
}
