// The gateway on stdin and stdout: one client, one JSON message per line, and nothing else on stdout.

import type { Readable, Writable } from "node:stream";
import { createLineReader, createLineWriter } from "../../mcp/framing/frames.js";
import { errorReply, formatReply, parseMessage } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";
import { type Log, silentLog } from "../../model/log.js";
import type { FormattedMessage } from "../http/responses/sse-writer.js";
import type { CallerHints, Router } from "../router.js";
import { DEFAULT_EDGE_LIMITS, type EdgeLimits } from "../sessions/edge-limits.js";
import { Drain } from "../sessions/in-flight-requests.js";
import { createDuplexClient } from "./create-duplex-client.js";

export interface StdioEdge {
  /** Resolves when the client disconnected or the edge was closed, and all output is written. */
  readonly closed: Promise<void>;
  /**
   * Starts nothing new from now on. Requests in flight continue, and the client can still answer and cancel.
   */
  readonly drain: () => void;
  /** Ends open subscriptions, aborts what is in flight. Idempotent. */
  readonly close: () => Promise<void>;
}

export interface StdioEdgeOptions {
  readonly router: Router;
  readonly input: Readable;
  readonly output: Writable;
  readonly limits?: EdgeLimits;
  readonly log?: Log;
  /** What the command line says of the client. */
  readonly hints?: Pick<CallerHints, "profile" | "as">;
}

/** A client that stopped reading is dropped beyond this many unread bytes. */
const UNREAD_BYTES = 64 * 1024 * 1024;

export function createStdioEdge(options: StdioEdgeOptions): StdioEdge {
  const { router, input, output, limits = DEFAULT_EDGE_LIMITS, log = silentLog } = options;
  const hints: CallerHints = {
    headers: new Map(),
    profile: options.hints?.profile,
    as: options.hints?.as,
  };
  let resolveClosed: () => void;
  const closed = new Promise<void>((resolve) => {
    resolveClosed = resolve;
  });
  let ended = false;
  let broken = false;

  // Backpressure: while the client does not read, do not read from it.
  const writer = createLineWriter(output, { onFull: () => input.pause() });
  /** Whether the client still reads. */
  const isRead = (): boolean => {
    if (broken || writer.length <= UNREAD_BYTES) return !broken;
    log("error", "the client has stopped reading; giving it up");
    broken = true;
    end("gone");
    return false;
  };
  const send = (json: FormattedMessage): void => {
    if (!isRead()) return;
    if (typeof json === "string") writer.write(json);
    else writer.writeBytes(json);
  };
  const drain = new Drain();
  const client = createDuplexClient({ router, limits, hints, send, log, drain, eras: "both" });
  const refuse = (code: number, message: string) => send(formatReply(null, errorReply(code, message)));

  const take = (text: string) => {
    if (ended) return;
    const parsed = parseMessage(text);
    if (parsed.ok) client.take(parsed.value, { text: parsed.text });
    else if (parsed.isRefused === true) refuse(CODES.invalidRequest, `Invalid Request: ${parsed.reason}`);
    else refuse(CODES.parse, `Parse error: ${parsed.reason}`);
  };
  const reader = createLineReader({
    frameBytes: limits.requestBytes,
    onLine: take,
    onBroken: () => refuse(CODES.parse, "Parse error: the line is not UTF-8"),
  });

  const onData = (chunk: Buffer): void => {
    if (reader.push(chunk) === undefined) return;
    log("error", "a message was too large; ending the connection", { limit: limits.requestBytes });
    refuse(CODES.invalidRequest, `Invalid Request: a message has at most ${limits.requestBytes} bytes`);
    end("finish");
  };
  const onDrain = (): void => {
    if (!ended) input.resume();
  };
  const onInputEnd = (): void => end("gone");
  const onOutputError = (error: Error): void => {
    broken = true;
    log("debug", "the output is closed", { error: error.message });
    end("gone");
  };

  const end = (how: "finish" | "gone"): void => {
    if (ended) return;
    ended = true;
    input.off("data", onData);
    input.pause();
    if (how === "finish") client.finish();
    else client.close();
    if (broken || output.destroyed || output.writableEnded) resolveClosed();
    else {
      writer.flush();
      // The callback of an empty write runs after all earlier writes.
      output.write("", () => resolveClosed());
    }
  };

  output.on("error", onOutputError);
  output.on("close", () => {
    broken = true;
    end("gone");
    resolveClosed();
  });
  output.on("drain", onDrain);
  input.on("data", onData);
  input.on("end", onInputEnd);
  input.on("close", onInputEnd);
  input.on("error", onInputEnd);
  if (input.readableEnded || input.destroyed) queueMicrotask(onInputEnd);

  return {
    closed,
    drain: () => drain.begin(),
    close() {
      end("finish");
      return closed;
    },
  };
}
