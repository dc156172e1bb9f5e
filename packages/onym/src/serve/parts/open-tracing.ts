// Tracing, if the environment enables it.

import type { Log } from "../../model/log.js";
import type { Tracer } from "../../telemetry/create-tracer.js";

export interface TracingOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly log: Log;
}

/** `undefined` without tracing. Never fails: other programs on the machine share these variables. */
export async function openTracing({ env, version, log }: TracingOptions): Promise<Tracer | undefined> {
  // Without any OTEL variable, load nothing.
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
