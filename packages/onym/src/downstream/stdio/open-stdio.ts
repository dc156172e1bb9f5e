// A server that is a process: started without a shell, connected over stdin and stdout, ended with its
// children.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { createLineReader, createLineWriter } from "../../mcp/framing/frames.js";
import { formatDuration } from "../../model/clock.js";
import { maskArguments } from "../../model/mask-secrets.js";
import type { ConnectionContext, OpenedConnection } from "../connection.js";
import { SLOW_START } from "../explain-down.js";
import { createPacedReading } from "../protocol/pace.js";
import { createChannelConnection, createRpcChannel, performHandshake } from "../protocol/rpc-channel.js";
import { SandboxProblem } from "./bubblewrap.js";
import { endProcessGroup, keepTrack, type StdioLaunch, startChild } from "./start-child.js";
import { createStderrTail, type StderrTail } from "./stderr-tail.js";

/** How long to wait for the rest of the output after the process exited. */
const FLUSH_MS = 500;

/** Bytes that the process has not read, from which requests wait for their callers' turns. */
const MAX_UNREAD_BYTES = 1_048_576;

export async function openStdio(launch: StdioLaunch, context: ConnectionContext): Promise<OpenedConnection> {
  const { label, limits, events, log, hide, signal } = context;
  const child = startChild(launch);
  if (child instanceof Error)
    return {
      kind: "failed",
      reason: hide(child.message),
      hint: child instanceof SandboxProblem ? child.hint : 'Fix "command", "args" or "env" in the config.',
    };
  let onNotification = events.onNotification;
  let ended: Ended | undefined;
  let closing = false;
  let announce: ((ended: Ended) => void) | undefined;

  keepTrack(child);
  const writer = createLineWriter(child.stdin, { format: escapeSeparators });
  const isFull = (): boolean => writer.length > MAX_UNREAD_BYTES && !child.stdin.destroyed;
  child.stdin.on("drain", events.onRoom);
  child.stdin.on("close", events.onRoom);
  const stderrTail = createStderrTail({
    clock: context.clock,
    onLine: (line) => log("debug", `${label} on stderr`, { line: () => hide(line) }),
    onDropped: (bytes) => log("warn", `${label} writes more to stderr than is kept`, { droppedBytes: bytes }),
    pause: () => child.stderr.pause(),
    resume: () => child.stderr.resume(),
  });
  const channel = createRpcChannel({
    ...context,
    events: { ...events, onNotification: (notification, receiver) => onNotification(notification, receiver) },
    send: (text) => {
      if (writer.length > limits.frameBytes * 4) return false;
      writer.write(text);
      return true;
    },
  });

  const end = (why: Ended): void => {
    if (ended !== undefined) return;
    ended = why;
    channel.end(`${label} is not running any more: ${why.reason}`);
    announce?.(why);
    void endChild();
  };
  /** Neither timers of a flood nor a pipe that something else holds open keep Onym from ending. */
  const endChild = async (): Promise<void> => {
    await endProcessGroup(child);
    stderrTail.close();
    reading.close();
    child.stdout.destroy();
    child.stderr.destroy();
  };
  watchChild({ child, launch, stderrTail, hide, end });
  const reader = createLineReader({
    frameBytes: limits.frameBytes,
    onLine: channel.receive,
    onLargeLine: channel.receive,
    onBroken: (shown, length) => {
      context.pace.count(length);
      channel.receiveGarbage(shown);
    },
    onEmpty: () => context.pace.countEmpty(),
  });
  const reading = createPacedReading({
    pace: context.pace,
    clock: context.clock,
    take: (bytes) => {
      if (ended === undefined && reader.push(bytes) !== undefined)
        end({ code: "ended", reason: `it sent a message of more than ${limits.frameBytes} bytes` });
      return channel.busy();
    },
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
  });
  child.stdout.on("data", (chunk: Buffer) => reading.push(chunk));

  const handshakeResult = await performHandshake(channel, context);
  if (handshakeResult.kind === "refused" || ended !== undefined) {
    const why: Ended =
      ended ??
      (signal.aborted
        ? explainSilence()
        : {
            code: "ended",
            reason: hide(handshakeResult.kind === "refused" ? handshakeResult.reason : ""),
          });
    closing = true;
    end(why);
    await endChild();
    return { kind: "failed", reason: why.reason, hint: hintFor(launch, why.code, hide) };
  }
  const opened = createChannelConnection({
    channel,
    handshake: handshakeResult.handshake,
    context,
    close: async () => {
      closing = true;
      end({ code: "ended", reason: "it was closed" });
      await endChild();
    },
  });
  onNotification = opened.onNotification;
  announce = ({ code, reason }) => {
    if (!closing) events.onClosed(reason, hintFor(launch, code, hide));
  };
  return { kind: "open", connection: { ...opened.connection, isFull } };

  function explainSilence(): Ended {
    const waited = `it did not answer initialize within ${formatDuration(limits.startMs)}`;
    const { first } = channel.garbage;
    if (first !== undefined)
      return {
        code: "foreign-output",
        reason: `${waited}; it printed "${hide(first, 80)}" to stdout, which is for the protocol only`,
      };
    const said = stderrTail.likelyReason();
    return {
      code: "silent",
      reason: said === undefined ? waited : `${waited}; on stderr: ${hide(said)}`,
    };
  }
}

/** Why a process is no server, or no longer one; decides the hint. */
type EndCode = "not-on-path" | "not-found" | "foreign-output" | "silent" | "ended";

interface Ended {
  readonly code: EndCode;
  /** For people: no secrets, one line. */
  readonly reason: string;
}

interface Watched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly launch: StdioLaunch;
  readonly stderrTail: StderrTail;
  readonly hide: ConnectionContext["hide"];
  readonly end: (why: Ended) => void;
}

function watchChild({ child, launch, stderrTail, hide, end }: Watched): void {
  child.stdin.on("error", () => {});
  child.stderr.on("data", stderrTail.push);
  child.on("error", (error: NodeJS.ErrnoException) => end(explainStart(launch, error, hide)));
  child.on("exit", (code, signal) => {
    const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
    const finish = (): void => {
      clearTimeout(flushed);
      child.off("close", finish);
      const said = stderrTail.likelyReason();
      end({ code: "ended", reason: said === undefined ? how : `${how}: ${hide(said)}` });
    };
    // Its last output may still arrive; children that hold the pipe open must not block us.
    child.on("close", finish);
    const flushed = setTimeout(finish, FLUSH_MS);
  });
  child.stdout.on("end", () => {
    setTimeout(() => end({ code: "ended", reason: "it closed its stdout" }), FLUSH_MS * 2).unref();
  });
}

function explainStart(
  { ownFolder, isolation, ...launch }: StdioLaunch,
  error: NodeJS.ErrnoException,
  hide: ConnectionContext["hide"],
): Ended {
  const command =
    isolation === undefined
      ? launch.command
      : isolation.kind === "prefix"
        ? (isolation.words[0] ?? "")
        : "bwrap";
  const cwd = ownFolder ?? launch.cwd;
  if (error.code === "ENOENT" && !existsSync(cwd))
    return { code: "not-found", reason: `the folder ${hide(cwd)} does not exist` };
  if (error.code === "ENOENT")
    return /[/\\]/.test(command)
      ? { code: "not-found", reason: `${hide(command)} does not exist` }
      : { code: "not-on-path", reason: `${hide(command)} was not found on PATH` };
  if (error.code === "EACCES") return { code: "ended", reason: `${hide(command)} may not be run` };
  return { code: "ended", reason: hide(error.message) };
}

function hintFor(launch: StdioLaunch, code: EndCode, hide: ConnectionContext["hide"]): string {
  switch (code) {
    case "not-on-path":
      return 'Install it, or give its full path as "command"; "env" may hold another PATH.';
    case "not-found":
      return 'Fix "command" or "cwd" in the config.';
    case "foreign-output":
      return "A stdio server must print its own messages to stderr.";
    case "silent":
      return `Is it an MCP server over stdio? ${byHand(launch, hide)}. ${SLOW_START}`;
    case "ended":
      return `${byHand(launch, hide)}; --verbose shows its stderr.`;
  }
}

/** A hint shows no longer command line, such as a whole program after `-e`. */
const LONGEST_COMMAND = 200;

/** The command line as it can be pasted, without secrets. */
function byHand({ command, args }: StdioLaunch, hide: ConnectionContext["hide"]): string {
  const words = [command, ...maskArguments(args)].map((word) =>
    /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
  );
  const line = words.join(" ");
  return line.length > LONGEST_COMMAND
    ? `Run ${JSON.stringify(hide(command))} with its arguments by hand to see why`
    : `Run it by hand to see why: ${hide(line)}`;
}

// Escapes U+2028 and U+2029 in JSON text that is sent as a line: JSON permits them in strings, and many line readers
// treat them as line ends.

const [LINE_SEPARATOR, PARAGRAPH_SEPARATOR] = ["\u2028", "\u2029"];
/** The bytes of both in UTF-8: the first two are the same, the third differs. */
const [FIRST, SECOND, LINE, PARAGRAPH] = [0xe2, 0x80, 0xa8, 0xa9];
const ESCAPE_LENGTH = 6;

/**
 * Copies bytes, because `replaceAll` blocks the event loop if a large text has very many separators (SAFE-4). A text
 * without one, the usual case, is returned as it is.
 * @example
 * escapeSeparators('{"a":"\u2028"}').toString(); // '{"a":"\\u2028"}'
 */
export function escapeSeparators(text: string): string | Buffer {
  if (!text.includes(LINE_SEPARATOR) && !text.includes(PARAGRAPH_SEPARATOR)) return text;
  const bytes = Buffer.from(text);
  // An escape has twice the bytes of its character.
  const escaped = Buffer.allocUnsafe(bytes.length * 2);
  let end = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    const third = byte === FIRST && bytes[at + 1] === SECOND ? bytes[at + 2] : undefined;
    if (third === LINE || third === PARAGRAPH) {
      ESCAPES[third - LINE]?.copy(escaped, end);
      end += ESCAPE_LENGTH;
      at += 2;
    } else {
      escaped[end] = byte;
      end += 1;
    }
  }
  return escaped.subarray(0, end);
}

const ESCAPES = [Buffer.from("\\u2028"), Buffer.from("\\u2029")];
