// A command's side: finds the gateway that runs a config, asks it, and reads its answer with care.

import { connect } from "node:net";
import { createLineReader } from "../mcp/framing/line-reader.js";
import { isJsonObject, type JsonObject } from "../mcp/json.js";
import { parseJson } from "../mcp/parse-json.js";
import {
  type ControlAsk,
  type ControlRequest,
  type GatewayCatalog,
  type GatewayStatus,
  MAX_ANSWER_BYTES,
  MAX_LINE_BYTES,
  PROTOCOL,
} from "./protocol.js";
import { findRegistrations, type Registration } from "./registration.js";
import type { Machine } from "./run-folder.js";

export interface AskOptions {
  /** The config file whose gateway is meant. */
  readonly config: string;
  readonly machine: Machine;
  /** For the whole answer. */
  readonly timeoutMs: number;
}

/** Why a gateway that left word did not answer. */
export interface NoAnswer {
  readonly pid: number;
  /** `gone`: nobody listens, it ended without a word. `other`: it runs, and is another version of Onym or does not answer. */
  readonly kind: "gone" | "other";
  /** For people. */
  readonly reason: string;
}

export interface Asked<Answer> {
  /** Of the newest gateway that answers. */
  readonly answer: Answer | undefined;
  readonly silent: readonly NoAnswer[];
}

/** What the newest gateway of a config has; `answer` is `undefined` where none runs. Never rejects. */
export async function askCatalog(options: AskOptions): Promise<Asked<GatewayCatalog>> {
  const silent: NoAnswer[] = [];
  for (const registration of findRegistrations(options.config, options.machine)) {
    const reply = await ask(registration, "catalog", options.timeoutMs);
    if (reply.ok) return { answer: reply.value, silent };
    silent.push(reply.problem);
  }
  return { answer: undefined, silent };
}

/** Every gateway of a config that answers, the newest first. Never rejects. */
export async function askStatus(options: AskOptions): Promise<{
  readonly answers: readonly GatewayStatus[];
  readonly silent: readonly NoAnswer[];
}> {
  const registrations = findRegistrations(options.config, options.machine);
  const replies = await Promise.all(registrations.map((each) => ask(each, "status", options.timeoutMs)));
  return {
    answers: replies.flatMap((reply) => (reply.ok ? [reply.value.status] : [])),
    silent: replies.flatMap((reply) => (reply.ok ? [] : [reply.problem])),
  };
}

type Reply =
  | { readonly ok: true; readonly value: GatewayCatalog }
  | { readonly ok: false; readonly problem: NoAnswer };

/** A status is a catalog without tools. */
function ask(registration: Registration, what: ControlAsk, timeoutMs: number): Promise<Reply> {
  const { pid, socket, token, onym } = registration;
  const silence = (kind: NoAnswer["kind"], reason: string): Reply => ({
    ok: false,
    problem: { pid, kind, reason },
  });
  if (onym !== PROTOCOL) return Promise.resolve(silence("other", "it is another version of Onym"));
  return new Promise((resolve) => {
    const answer = createAnswer();
    let bytes = 0;
    const connection = connect({ path: socket });
    const timer = setTimeout(
      () => done(silence("other", `it did not answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const done = (reply: Reply): void => {
      clearTimeout(timer);
      connection.destroy();
      resolve(reply);
    };
    const unreadable = (): void => done(silence("other", "its answer cannot be read"));
    const reader = createLineReader({
      frameBytes: MAX_LINE_BYTES,
      onLine(line) {
        const state = answer.take(line);
        if (state.kind === "whole") done({ ok: true, value: state.catalog });
        else if (state.kind === "refused") done(silence("other", state.reason));
      },
      onBroken: unreadable,
    });
    connection.once("connect", () => {
      const request: ControlRequest = { onym: PROTOCOL, token, ask: what };
      connection.write(`${JSON.stringify(request)}\n`);
    });
    connection.on("data", (chunk) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES || reader.push(chunk) !== undefined) unreadable();
    });
    connection.once("error", (error: NodeJS.ErrnoException) =>
      done(GONE.has(error.code ?? "") ? silence("gone", "it is gone") : silence("other", error.message)),
    );
    connection.once("close", () => done(silence("other", "it closed the connection")));
  });
}

/** Nobody listens. */
const GONE: ReadonlySet<string> = new Set(["ECONNREFUSED", "ENOENT"]);

type AnswerState =
  | { readonly kind: "more" }
  | { readonly kind: "whole"; readonly catalog: GatewayCatalog }
  | { readonly kind: "refused"; readonly reason: string };

function createAnswer(): { readonly take: (line: string) => AnswerState } {
  let status: GatewayStatus | undefined;
  let tools: JsonObject[][] = [];
  const refused = (reason: string): AnswerState => ({ kind: "refused", reason });
  return {
    take(text) {
      const parsed = parseJson(text);
      const line = parsed.ok && isJsonObject(parsed.value) ? parsed.value : {};
      if (typeof line["error"] === "string") return refused(line["error"]);
      if (status === undefined) {
        const said = line["status"];
        if (line["onym"] !== PROTOCOL || !isStatus(said)) return refused("its answer cannot be read");
        status = said;
        tools = said.servers.map(() => []);
        return { kind: "more" };
      }
      if (line["end"] === true) return { kind: "whole", catalog: { status, tools } };
      const { server, tools: some } = line;
      const listed = typeof server === "number" ? tools[server] : undefined;
      if (listed === undefined || !Array.isArray(some)) return refused("its answer cannot be read");
      for (const tool of some) if (isJsonObject(tool) && typeof tool["name"] === "string") listed.push(tool);
      return { kind: "more" };
    },
  };
}

/** It comes from the same program under the same user: what a command relies on is checked, and no more. */
function isStatus(value: unknown): value is GatewayStatus {
  if (!isJsonObject(value)) return false;
  const { pid, startedAt, servers, toolboxes, problems } = value;
  return (
    [pid, startedAt].every((each) => typeof each === "number") &&
    [toolboxes, problems].every(Array.isArray) &&
    Array.isArray(servers) &&
    servers.every(isServerStatus)
  );
}

function isServerStatus(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { server, toolbox, state, isListed, listProblems, serverVersion } = value;
  return (
    typeof server === "string" &&
    [toolbox, serverVersion].every((each) => each === undefined || typeof each === "string") &&
    typeof state === "string" &&
    typeof isListed === "boolean" &&
    Array.isArray(listProblems) &&
    listProblems.every((each) => typeof each === "string")
  );
}
