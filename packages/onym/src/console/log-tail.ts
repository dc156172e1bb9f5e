// The last lines that were said about each server, for who looks why it is down.

import { escapeText, quoteText } from "@onym/core";
import type { Log } from "../model/log.js";

const MAX_LINES = 2_000;
const SHOWN = 50;

export interface LogTail {
  /** The log itself, which is also kept. */
  readonly log: Log;
  readonly about: (server: string) => readonly string[];
}

export function createLogTail(log: Log, now: () => number): LogTail {
  let lines: { readonly text: string; readonly server: string | undefined }[] = [];
  return {
    log(severity, text, facts) {
      log(severity, text, facts);
      const time = new Date(now()).toISOString().slice(11, 19);
      const { line, server, reason } = facts ?? {};
      const said = [text, reason, line].filter((part) => part !== undefined).join(": ");
      lines.push({
        text: `${time} ${severity} ${escapeText(said)}`,
        server: typeof server === "string" ? server : undefined,
      });
      if (lines.length > MAX_LINES * 1.25) lines = lines.slice(-MAX_LINES);
    },
    about: (server) =>
      lines
        .filter((line) => line.server === server || line.text.includes(quoteText(server)))
        .slice(-SHOWN)
        .map(({ text }) => text),
  };
}
