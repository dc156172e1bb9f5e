// Finds code in a text: fenced blocks and backtick spans, as Markdown reads them, in linear time.

export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** A fenced block, or a span in backticks. */
export interface CodeRange extends TextRange {
  /** The text between the backticks of a span; absent for a block. */
  readonly content?: TextRange;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
}

interface BacktickRun extends TextRange {
  /** A span does not cross a blank line or a fence, so runs of two paragraphs are never paired. */
  readonly paragraph: number;
}

/**
 * Code ranges, in order, not overlapping. An unclosed fence runs to the end; an unclosed backtick is an
 * ordinary character.
 */
export function findCodeRanges(text: string): readonly CodeRange[] {
  if (!text.includes("`") && !text.includes("~~~")) return [];
  const fenced: CodeRange[] = [];
  const runs: BacktickRun[] = [];
  let paragraph = 0;
  let open: { readonly fence: Fence; readonly start: number } | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, end);
    const fence = readFence(line);
    if (open !== undefined) {
      if (fence !== undefined && closesFence(open.fence, fence, line)) {
        fenced.push({ start: open.start, end });
        open = undefined;
        paragraph++;
      }
    } else if (fence !== undefined && opensFence(fence, line) && !endsSpan(fence, runs.at(-1), paragraph)) {
      open = { fence, start };
    } else if (line.trim() === "") {
      paragraph++;
    } else {
      collectRuns(line, start, paragraph, runs);
    }
    start = end;
  }
  if (open !== undefined) fenced.push({ start: open.start, end: text.length });
  const spans = pairRuns(runs);
  return fenced.length === 0 ? spans : [...fenced, ...spans].sort((a, b) => a.start - b.start);
}

function readFence(line: string): Fence | undefined {
  let at = 0;
  while (at < 3 && line[at] === " ") at++;
  const mark = line[at];
  if (mark !== "`" && mark !== "~") return undefined;
  const from = at;
  while (line[at] === mark) at++;
  return at - from >= 3 ? { mark, length: at - from } : undefined;
}

/** The text after the opening fence is a language; if it contains a backtick, the line is an inline span. */
function opensFence({ mark, length }: Fence, line: string): boolean {
  return mark === "~" || !line.includes("`", line.indexOf(mark) + length);
}

function closesFence(opening: Fence, fence: Fence, line: string): boolean {
  const isOnlyFence = line.trim().length === fence.length;
  return fence.mark === opening.mark && fence.length >= opening.length && isOnlyFence;
}

/** People start a block in the middle of a line (`Example: ```) and end it like a fence. */
function endsSpan(fence: Fence, last: BacktickRun | undefined, paragraph: number): boolean {
  if (last === undefined || last.paragraph !== paragraph) return false;
  return fence.mark === "`" && last.end - last.start === fence.length;
}

function collectRuns(line: string, offset: number, paragraph: number, runs: BacktickRun[]): void {
  for (let at = line.indexOf("`"); at >= 0; at = line.indexOf("`", at)) {
    const start = at;
    while (line[at] === "`") at++;
    runs.push({ start: offset + start, end: offset + at, paragraph });
  }
}

/**
 * A run opens a span that the next run of the same length closes. Scans from the end, so each run is visited
 * once.
 */
function pairRuns(runs: readonly BacktickRun[]): readonly CodeRange[] {
  const closers: (BacktickRun | undefined)[] = [];
  const nextOfLength = new Map<number, BacktickRun>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index];
    if (run === undefined) continue;
    const length = run.end - run.start;
    const next = nextOfLength.get(length);
    closers[index] = next?.paragraph === run.paragraph ? next : undefined;
    nextOfLength.set(length, run);
  }
  const spans: CodeRange[] = [];
  let end = 0;
  for (const [index, run] of runs.entries()) {
    const closer = run.start < end ? undefined : closers[index];
    if (closer === undefined) continue;
    end = closer.end;
    spans.push({ start: run.start, end, content: { start: run.end, end: closer.start } });
  }
  return spans;
}
