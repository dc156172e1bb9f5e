// The command's side: finds the gateway that runs a config, sends it a request, and validates the answer.

import { connect } from "node:net";
import { createLineReader } from "../mcp/framing/frames.js";
import { isJsonObject, type JsonObject, parseJson } from "../mcp/json.js";
import { formatDuration } from "../model/clock.js";
import {
  type ControlAsk,
  type ControlRequest,
  type GatewayCatalog,
  type GatewayStatus,
  MAX_ANSWER_BYTES,
  MAX_LINE_BYTES,
  PROTOCOL,
} from "./protocol.js";
import { findRegistrations, type Machine, type Registration } from "./registration.js";
import { isStatus } from "./status-shape.js";

export interface AskOptions {
  /** The config file of the gateway. */
  readonly config: string;
  readonly machine: Machine;
  /** For the whole answer. */
  readonly timeoutMs: number;
}

/** Why a registered gateway did not answer. */
export interface NoAnswer {
  readonly pid: number;
  /**
   * `gone`: nothing listens, because it ended without cleaning up. `other`: it runs, but is another version of Onym
   * or does not answer.
   */
  readonly kind: "gone" | "other";
  /** For people to read. */
  readonly reason: string;
}

export interface Asked<Answer> {
  /** From the newest gateway that answers. */
  readonly answer: Answer | undefined;
  readonly silent: readonly NoAnswer[];
}

/** The catalog of the newest gateway of a config; `answer` is `undefined` if none runs. Never rejects. */
export async function askCatalog(options: AskOptions): Promise<Asked<GatewayCatalog>> {
  const silent: NoAnswer[] = [];
  for (const registration of findRegistrations(options.config, options.machine)) {
    const reply = await ask(registration, "catalog", options.timeoutMs);
    if (reply.ok) return { answer: reply.value, silent };
    silent.push(reply.problem);
  }
  return { answer: undefined, silent };
}

/** The status of every gateway that answers, of a config or of any, newest first. Never rejects. */
export async function askStatus(
  options: Omit<AskOptions, "config"> & {
    readonly config: string | undefined;
    readonly ask?: Exclude<ControlAsk, "catalog">;
  },
): Promise<{
  readonly answers: readonly GatewayStatus[];
  readonly silent: readonly NoAnswer[];
}> {
  const registrations = findRegistrations(options.config, options.machine);
  const replies = await Promise.all(
    registrations.map((each) => ask(each, options.ask ?? "status", options.timeoutMs)),
  );
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
      () => done(silence("other", `it did not answer within ${formatDuration(timeoutMs)}`)),
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

/** The errors that mean that nothing listens. */
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
