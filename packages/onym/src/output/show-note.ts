// Notes on stderr: what a user should know about what a command goes by.

import { nameProgram } from "./package-folder.js";
import type { Terminal } from "./terminal.js";
import { wrapText } from "./wrap-text.js";

export function showNote(note: string, { err, paintErr, errColumns: columns, env }: Terminal): void {
  for (const line of wrapText(`note: ${nameProgram(note, env)}`, { columns }))
    err(`${paintErr("dim", line)}\n`);
}

export function showNotes(notes: readonly string[], terminal: Terminal): void {
  for (const note of notes) showNote(note, terminal);
}
