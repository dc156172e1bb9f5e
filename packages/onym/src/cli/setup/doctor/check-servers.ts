// How each server of the config is: does it come up, what does it speak, what does it offer.

import type { ConfigServer } from "../../../config/config.js";
import { countNoun, serverLabel } from "../../../output/wording.js";
import { endSentence } from "../../catalog/live-config.js";
import { formatDuration, type LiveServer } from "../../catalog/live-servers.js";
import type { Check } from "./check.js";

/** A server in the report for machines. */
export interface ServerReport {
  readonly server: string;
  readonly toolbox?: string;
  readonly status: "ready" | "failed" | "static";
  readonly transport: "stdio" | "http" | "sse" | "static" | "unusable";
  readonly revision?: string;
  readonly eras?: readonly string[];
  readonly ms?: number;
  readonly tools: number;
  readonly prompts?: number;
  readonly resources?: number;
  readonly templates?: number;
  readonly problems?: readonly string[];
  readonly reason?: string;
  readonly hint?: string;
}

export interface ServerInput {
  readonly server: ConfigServer;
  /** `undefined`: its tools stand in the config, and there is nothing to connect to. */
  readonly live: LiveServer | undefined;
  /** How many tools pass the filters. */
  readonly shown: number;
  /** How long a server may take to start. */
  readonly startMs: number;
}

export function checkServer(input: ServerInput): readonly Check[] {
  const { server, live, shown, startMs } = input;
  const about = { group: "Servers", name: serverLabel(server.source) } as const;
  if (live === undefined)
    return [{ ...about, status: "ok", message: `${countNoun(shown, "tool")} from the config` }];
  const { state, ms } = live;
  const took = formatDuration(ms);
  if (state.kind === "failed") {
    const failed = live.launch.kind === "unusable" ? "not started" : `failed after ${took}`;
    const message = `${failed}: ${endSentence(state.reason)}`;
    return [{ ...about, status: "error", message, fix: state.hint }];
  }
  const { tools, prompts, resources, templates, problems } = state.inventory;
  const offers = [
    shown === tools.length ? countNoun(shown, "tool") : `${shown} of ${countNoun(tools.length, "tool")}`,
    ...(prompts.length === 0 ? [] : [countNoun(prompts.length, "prompt")]),
    ...(resources.length === 0 ? [] : [countNoun(resources.length, "resource")]),
    ...(templates.length === 0 ? [] : [countNoun(templates.length, "template")]),
  ];
  const message = `${offers.join(", ")}; speaks ${state.revision} (${state.eras.join(" and ")}); ready in ${took}`;
  const isSlow = ms > startMs / 2;
  return [
    isSlow
      ? {
          ...about,
          status: "warning",
          message,
          fix: `It needs more than half of limits.startMs (${formatDuration(startMs)}).`,
        }
      : { ...about, status: "ok", message },
    ...problems.map(({ code, method, message }) => ({
      ...about,
      status: code === "list-failed" && method === "tools/list" ? ("error" as const) : ("warning" as const),
      message: endSentence(message),
      fix: "What is missing in its lists is not shown to clients. Fix the server.",
    })),
  ];
}

export function reportServer({ server, live, shown }: ServerInput): ServerReport {
  const { source } = server;
  const id = { server: source.server, ...(source.toolbox === undefined ? {} : { toolbox: source.toolbox }) };
  if (live === undefined) return { ...id, status: "static", transport: "static", tools: source.tools.length };
  const { state, launch, ms } = live;
  const transport = launch.kind;
  if (state.kind === "failed")
    return { ...id, status: "failed", transport, ms, tools: 0, reason: state.reason, hint: state.hint };
  const { prompts, resources, templates, problems } = state.inventory;
  return {
    ...id,
    status: "ready",
    transport,
    revision: state.revision,
    eras: state.eras,
    ms,
    tools: shown,
    prompts: prompts.length,
    resources: resources.length,
    templates: templates.length,
    ...(problems.length === 0 ? {} : { problems: problems.map(({ message }) => message) }),
  };
}
