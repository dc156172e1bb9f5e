// A downstream that is a process: started without a shell, spoken to over its stdin and stdout, ended with its children.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { createLineReader } from "../../mcp/framing/line-reader.js";
import { createLineWriter } from "../../mcp/framing/line-writer.js";
import type { ConnectionContext, OpenedConnection } from "../connection.js";
import { createChannelConnection, performHandshake } from "../protocol/channel-connection.js";
import { createPacedReading } from "../protocol/pace.js";
import { createRpcChannel } from "../protocol/rpc-channel.js";
import { endProcessGroup, keepTrack } from "./process-group.js";
import { type StdioLaunch, startChild } from "./start-child.js";
import { createStderrTail } from "./stderr-tail.js";

/** How long the rest of its output is waited for after a process has exited. */
const FLUSH_MS = 500;

export async function openStdio(launch: StdioLaunch, context: ConnectionContext): Promise<OpenedConnection> {
  const { label, limits, events, log, hide, signal } = context;
  const child = startChild(launch);
  if (child instanceof Error)
    return {
      kind: "failed",
      reason: hide(child.message),
      hint: 'Fix "command", "args" or "env" in the config.',
    };
  let onNotification = events.onNotification;
  let ended: string | undefined;
  let closing = false;
  let announce: ((reason: string) => void) | undefined;

  keepTrack(child);
  const writer = createLineWriter(child.stdin, { format: escapeSeparators });
  const stderrTail = createStderrTail({
    clock: context.clock,
    onLine: (line) => log("debug", `${label} on stderr`, { line: hide(line) }),
    onDropped: (bytes) => log("warn", `${label} writes more to stderr than is kept`, { droppedBytes: bytes }),
    pause: () => child.stderr.pause(),
    resume: () => child.stderr.resume(),
  });
  const channel = createRpcChannel({
    label,
    limits,
    log,
    clock: context.clock,
    pace: context.pace,
    hide,
    events: { ...events, onNotification: (notification, receiver) => onNotification(notification, receiver) },
    send: (text) => {
      if (writer.length > limits.frameBytes * 4) return false;
      writer.write(text);
      return true;
    },
  });

  const end = (reason: string): void => {
    if (ended !== undefined) return;
    ended = reason;
    channel.end(`${label} is not running any more: ${reason}`);
    announce?.(reason);
    void endProcessGroup(child);
  };
  watchChild({ child, launch, words: stderrTail, hide, end });
  const reader = createLineReader({
    frameBytes: limits.frameBytes,
    onLine: channel.receive,
    onBroken: (shown) => {
      context.pace.count(shown.length);
      channel.receiveGarbage(shown);
    },
    onEmpty: () => context.pace.countEmpty(),
  });
  const reading = createPacedReading({
    pace: context.pace,
    clock: context.clock,
    take: (bytes) => {
      if (ended === undefined && reader.push(bytes) !== undefined)
        end(`it sent a message of more than ${limits.frameBytes} bytes`);
    },
    pause: () => child.stdout.pause(),
    resume: () => child.stdout.resume(),
  });
  child.stdout.on("data", (chunk: Buffer) => reading.push(chunk));

  const handshakeResult = await performHandshake(channel, context);
  if (handshakeResult.kind === "refused" || ended !== undefined) {
    const reason =
      ended ??
      (signal.aborted
        ? explainSilence()
        : hide(handshakeResult.kind === "refused" ? handshakeResult.reason : ""));
    closing = true;
    end(reason);
    await endProcessGroup(child);
    return { kind: "failed", reason, hint: hintFor(launch, reason) };
  }
  const opened = createChannelConnection({
    channel,
    handshake: handshakeResult.handshake,
    context,
    close: async () => {
      closing = true;
      end("it was closed");
      await endProcessGroup(child);
    },
  });
  onNotification = opened.onNotification;
  announce = (reason) => {
    if (!closing) events.onClosed(reason, hintFor(launch, reason));
  };
  return { kind: "open", connection: opened.connection };

  function explainSilence(): string {
    const waited = `it did not answer initialize within ${limits.startMs} ms`;
    const { first } = channel.garbage;
    if (first !== undefined)
      return `${waited}; it printed "${hide(first, 80)}" to stdout, which is for the protocol only`;
    const said = stderrTail.telling();
    return said === undefined ? waited : `${waited}; on stderr: ${hide(said)}`;
  }
}

/** Many readers of lines take these for line ends too; within JSON text they may always be escaped. */
function escapeSeparators(lines: string): string {
  return lines.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
}

interface Watched {
  readonly child: ChildProcessWithoutNullStreams;
  readonly launch: StdioLaunch;
  readonly words: ReturnType<typeof createStderrTail>;
  readonly hide: ConnectionContext["hide"];
  readonly end: (reason: string) => void;
}

function watchChild({ child, launch, words: stderrTail, hide, end }: Watched): void {
  child.stdin.on("error", () => {});
  child.stderr.on("data", stderrTail.push);
  child.on("error", (error: NodeJS.ErrnoException) => end(explainStart(launch, error, hide)));
  child.on("exit", (code, signal) => {
    const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
    const tell = (): void => {
      clearTimeout(flushed);
      child.off("close", tell);
      const said = stderrTail.telling();
      end(said === undefined ? how : `${how}: ${hide(said)}`);
    };
    // Its last output may still be on the way; children that hold the pipe open must not keep us waiting.
    child.on("close", tell);
    const flushed = setTimeout(tell, FLUSH_MS);
  });
  child.stdout.on("end", () => {
    setTimeout(() => end("it closed its stdout"), FLUSH_MS * 2).unref();
  });
}

function explainStart(
  { cwd, isolation, ...launch }: StdioLaunch,
  error: NodeJS.ErrnoException,
  hide: ConnectionContext["hide"],
): string {
  const command =
    isolation === undefined
      ? launch.command
      : isolation.kind === "prefix"
        ? (isolation.words[0] ?? "")
        : "bwrap";
  if (error.code === "ENOENT" && !existsSync(cwd)) return `the folder ${hide(cwd)} does not exist`;
  if (error.code === "ENOENT")
    return /[/\\]/.test(command)
      ? `${hide(command)} does not exist`
      : `${hide(command)} was not found on PATH`;
  if (error.code === "EACCES") return `${hide(command)} may not be run`;
  return hide(error.message);
}

function hintFor({ command }: StdioLaunch, reason: string): string {
  if (reason.includes("not found on PATH"))
    return 'Install it, or give its full path as "command"; "env" may hold another PATH.';
  if (reason.includes("does not exist")) return 'Fix "command" or "cwd" in the config.';
  if (reason.includes("for the protocol only"))
    return "A stdio server must print its own messages to stderr.";
  if (reason.includes("did not answer"))
    return "Is it an MCP server over stdio? Run its command by hand to see.";
  return `Run ${JSON.stringify(command)} with its arguments by hand to see why; --verbose shows its stderr.`;
}
