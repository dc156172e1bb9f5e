// Messages of one stream in the order in which they arrive. Large ones are parsed in slices (SAFE-4), and those behind them wait:
// whoever reads the stream stops until then, so that they are few.

import { type ParsedMessage, SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import { parseServerMessage, parseServerMessageSteps } from "../../mcp/message.js";
import { runInSlices } from "../../model/run-slices.js";

export type Deliver = (parsed: ParsedMessage, source: string | Buffer) => void;

export class ArrivingMessages {
  private readonly deliver: Deliver;
  private readonly waiting: (string | Buffer)[] = [];
  /** Until nothing waits; `undefined` if nothing does. */
  busy: Promise<void> | undefined;

  constructor(deliver: Deliver) {
    this.deliver = deliver;
  }

  push(source: string | Buffer): void {
    if (this.busy !== undefined) this.waiting.push(source);
    else if (source.length < SLICED_BYTES) this.deliver(parseServerMessage(source), source);
    else this.busy = this.parseLarge(source);
  }

  private async parseLarge(first: string | Buffer): Promise<void> {
    try {
      for (let next: string | Buffer | undefined = first; next !== undefined; next = this.waiting.shift())
        this.deliver(await parseInSlices(next), next);
    } finally {
      this.busy = undefined;
    }
  }
}

function parseInSlices(source: string | Buffer): Promise<ParsedMessage> | ParsedMessage {
  if (source.length < SLICED_BYTES) return parseServerMessage(source);
  return runInSlices(parseServerMessageSteps(typeof source === "string" ? Buffer.from(source) : source));
}
