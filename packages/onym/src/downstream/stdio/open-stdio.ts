// A downstream that is a process: started without a shell, spoken to over its stdin and stdout, ended with its children.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { existsSync } from "node:fs";
import { createLineReader } from "../../mcp/framing/line-reader.js";
import { createLineWriter } from "../../mcp/framing/line-writer.js";
import type { LinkContext, OpenedLink } from "../connection.js";
import { createPeerLink, greetPeer } from "../protocol/channel-connection.js";
import { createPacedReading } from "../protocol/pace.js";
import { createPeer } from "../protocol/rpc-channel.js";
import { endProcessGroup, keepTrack } from "./process-group.js";
import { type StdioLaunch, startChild } from "./start-child.js";
import { createLastWords } from "./stderr-tail.js";

/** How long the rest of its output is waited for after a process has exited. */
const FLUSH_MS = 500;

export async function openStdio(launch: StdioLaunch, context: LinkContext): Promise<OpenedLink> {
  const { label, limits, events, log, hide, signal } = context;
  const child = startChild(launch);
  if (child instanceof Error)
    return {
      kind: "failed",
      reason: hide(child.message),
      hint: 'Mend "command", "args" or "env" in the config.',
    };
  let onNotice = events.onNotice;
  let ended: string | undefined;
  let closing = false;
  let announce: ((reason: string) => void) | undefined;

  keepTrack(child);
  const writer = createLineWriter(child.stdin, { format: escapeSeparators });
  const words = createLastWords({
    clock: context.clock,
    onLine: (line) => log("debug", `${label} on stderr`, { line: hide(line) }),
    onDropped: (bytes) => log("warn", `${label} writes more to stderr than is kept`, { droppedBytes: bytes }),
    pause: () => child.stderr.pause(),
    resume: () => child.stderr.resume(),
  });
  const peer = createPeer({
    label,
    limits,
    log,
    clock: context.clock,
    pace: context.pace,
    hide,
    events: { ...events, onNotice: (notice, receiver) => onNotice(notice, receiver) },
    send: (text) => {
      if (writer.length > limits.frameBytes * 4) return false;
      writer.write(text);
      return true;
    },
  });

  const end = (reason: string): void => {
    if (ended !== undefined) return;
    ended = reason;
    peer.end(`${label} is not running any more: ${reason}`);
    announce?.(reason);
    void endProcessGroup(child);
  };
  watchChild({ child, launch, words, hide, end });
  const reader = createLineReader({
    frameBytes: limits.frameBytes,
    onLine: peer.receive,
    onBroken: (shown) => {
      context.pace.count(shown.length);
      peer.receiveGarbage(shown);
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

  const greeting = await greetPeer(peer, context);
  if (greeting.kind === "refused" || ended !== undefined) {
    const reason =
      ended ?? (signal.aborted ? explainSilence() : hide(greeting.kind === "refused" ? greeting.reason : ""));
    closing = true;
    end(reason);
    await endProcessGroup(child);
    return { kind: "failed", reason, hint: hintFor(launch, reason) };
  }
  const opened = createPeerLink({
    peer,
    hello: greeting.hello,
    context,
    close: async () => {
      closing = true;
      end("it was closed");
      await endProcessGroup(child);
    },
  });
  onNotice = opened.onNotice;
  announce = (reason) => {
    if (!closing) events.onClosed(reason, hintFor(launch, reason));
  };
  return { kind: "open", link: opened.link };

  function explainSilence(): string {
    const waited = `it did not answer initialize within ${limits.startMs} ms`;
    const { first } = peer.garbage;
    if (first !== undefined)
      return `${waited}; it printed "${hide(first, 80)}" to stdout, which is for the protocol only`;
    const said = words.telling();
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
  readonly words: ReturnType<typeof createLastWords>;
  readonly hide: LinkContext["hide"];
  readonly end: (reason: string) => void;
}

function watchChild({ child, launch, words, hide, end }: Watched): void {
  child.stdin.on("error", () => {});
  child.stderr.on("data", words.push);
  child.on("error", (error: NodeJS.ErrnoException) => end(explainStart(launch, error, hide)));
  child.on("exit", (code, signal) => {
    const how = signal === null ? `it exited with code ${code}` : `it was ended by ${signal}`;
    let told = false;
    const tell = (): void => {
      if (told) return;
      told = true;
      const said = words.telling();
      end(said === undefined ? how : `${how}: ${hide(said)}`);
    };
    // Its last output may still be on the way; children that hold the pipe open must not keep us waiting.
    child.on("close", tell);
    setTimeout(tell, FLUSH_MS);
  });
  child.stdout.on("end", () => {
    setTimeout(() => end("it closed its stdout"), FLUSH_MS * 2).unref();
  });
}

function explainStart(
  { cwd, isolation, ...launch }: StdioLaunch,
  error: NodeJS.ErrnoException,
  hide: LinkContext["hide"],
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
  if (reason.includes("does not exist")) return 'Mend "command" or "cwd" in the config.';
  if (reason.includes("for the protocol only"))
    return "A stdio server must print its own messages to stderr.";
  if (reason.includes("did not answer"))
    return "Is it an MCP server over stdio? Run its command by hand to see.";
  return `Run ${JSON.stringify(command)} with its arguments by hand to see why; --verbose shows its stderr.`;
}
