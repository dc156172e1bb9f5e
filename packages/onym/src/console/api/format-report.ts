// Formats a report with long lists, an entry per step: JSON in one piece would take a turn of the event loop (SAFE-4).

import type { Steps } from "../../model/run-slices.js";

const PIECE_LENGTH = 65_536;

/** The JSON of the report, as bytes. */
export function* formatSteps(report: object): Steps<Uint8Array<ArrayBuffer>> {
  const pieces: Buffer[] = [];
  let text = "";
  const add = (more: string): void => {
    text += more;
    if (text.length < PIECE_LENGTH) return;
    pieces.push(Buffer.from(text));
    text = "";
  };
  const members = Object.entries(report).filter(([, value]) => value !== undefined);
  for (const [position, [name, value]] of members.entries()) {
    add(`${position === 0 ? "{" : ","}${JSON.stringify(name)}:`);
    if (!Array.isArray(value)) {
      add(JSON.stringify(value));
      continue;
    }
    add("[");
    for (const [index, entry] of value.entries()) {
      add(`${index === 0 ? "" : ","}${JSON.stringify(entry)}`);
      yield;
    }
    add("]");
  }
  pieces.push(Buffer.from(`${text}}`));
  return Buffer.concat(pieces);
}
