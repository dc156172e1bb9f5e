// Two texts side by side, line by line, as `diff -u` shows them.

export interface DiffLine {
  readonly kind: "same" | "removed" | "added" | "skipped";
  readonly text: string;
}

const CONTEXT = 2;
/** Beyond so many comparisons, what lies between the first and the last change is shown as one. */
const MAX_CELLS = 4_000_000;

/** With a few lines around each change. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [a, b] = [splitLines(before), splitLines(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end++;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return fold([...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)]);
}

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** By the longest lines in common. */
function diffMiddle(a: readonly string[], b: readonly string[]): readonly DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (a.length * b.length > MAX_CELLS) return [...a.map(removed), ...b.map(added)];
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const lengthAt = (i: number, j: number): number => lengths[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i++] ?? "" });
      j++;
    } else if (j >= b.length || (i < a.length && lengthAt(i + 1, j) >= lengthAt(i, j + 1)))
      lines.push(removed(a[i++] ?? ""));
    else lines.push(added(b[j++] ?? ""));
  }
  return lines;
}

function fold(lines: readonly DiffLine[]): readonly DiffLine[] {
  const isNear = (at: number): boolean =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ kind }) => kind !== "same");
  const folded: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (isNear(at)) folded.push(line);
    else if (folded.at(-1)?.kind !== "skipped") folded.push({ kind: "skipped", text: "" });
  }
  return folded;
}
