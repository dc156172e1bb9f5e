// Work in steps: written once as a generator, then run in one go, or a few steps at a time to keep the event loop
// free (SAFE-4).

/** Yields between steps of less than a millisecond. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** List entries per step. */
export const STEP_ENTRIES = 64;

export function runSteps<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

export interface OnceInSteps<T> {
  readonly take: () => T;
  readonly steps: () => Steps<void>;
}

/** A value that is built once: in steps, or all at once if it is needed before the steps are done. */
export function onceInSteps<T>(make: () => Steps<T>): OnceInSteps<T> {
  let made: { readonly value: T } | undefined;
  return {
    take() {
      made ??= { value: runSteps(make()) };
      return made.value;
    },
    *steps() {
      if (made !== undefined) return;
      const value = yield* make();
      made ??= { value };
    },
  };
}

/** Visits the entries of a list in steps. The inner loop is plain code, which is faster than yielding per entry. */
export function* eachInSteps<T>(entries: readonly T[], work: (entry: T, index: number) => void): Steps<void> {
  for (let start = 0; start < entries.length; start += STEP_ENTRIES) {
    if (start > 0) yield;
    eachBetween(entries, start, Math.min(start + STEP_ENTRIES, entries.length), work);
  }
}

function eachBetween<T>(
  entries: readonly T[],
  start: number,
  end: number,
  work: (entry: T, index: number) => void,
): void {
  for (let index = start; index < end; index += 1) work(entries[index] as T, index);
}

/** Whether all entries pass. Stops at the first that does not. */
export function* everyInSteps<T>(
  entries: readonly T[],
  passes: (entry: T, index: number) => boolean,
): Steps<boolean> {
  for (let index = 0; index < entries.length; index += 1) {
    if (index > 0 && index % STEP_ENTRIES === 0) yield;
    if (!passes(entries[index] as T, index)) return false;
  }
  return true;
}

/** The same as `eachInSteps` for a map. */
export function* eachPairInSteps<K, V>(
  pairs: ReadonlyMap<K, V>,
  work: (key: K, value: V) => void,
): Steps<void> {
  const left = pairs.entries();
  for (let done = 0; done < pairs.size; done += STEP_ENTRIES) {
    if (done > 0) yield;
    takePairs(left, work);
  }
}

function takePairs<K, V>(left: MapIterator<[K, V]>, work: (key: K, value: V) => void): void {
  for (let taken = 0; taken < STEP_ENTRIES; taken += 1) {
    const next = left.next();
    if (next.done === true) return;
    work(next.value[0], next.value[1]);
  }
}

/** Entries sorted in one step. */
const SORTED_AT_ONCE = 2_048;

/** Sorts a list in place like `sort` (stable), in steps: sorts runs of entries, then merges them. */
export function* sortSteps<T>(entries: T[], compare: (a: T, b: T) => number): Steps<void> {
  if (entries.length <= SORTED_AT_ONCE) {
    entries.sort(compare);
    return;
  }
  for (let start = 0; start < entries.length; start += SORTED_AT_ONCE) {
    const run = entries.slice(start, start + SORTED_AT_ONCE).sort(compare);
    for (let at = 0; at < run.length; at += 1) entries[start + at] = run[at] as T;
    yield;
  }
  let from = entries;
  let to: T[] = new Array(entries.length);
  for (let width = SORTED_AT_ONCE; width < entries.length; width *= 2) {
    for (let start = 0; start < entries.length; start += 2 * width) {
      const middle = Math.min(start + width, entries.length);
      yield* mergeSteps(from, to, { start, middle, end: Math.min(middle + width, entries.length) }, compare);
    }
    [from, to] = [to, from];
  }
  if (from === entries) return;
  yield* eachInSteps(from, (entry, index) => {
    entries[index] = entry;
  });
}

function* mergeSteps<T>(
  from: readonly T[],
  to: T[],
  { start, middle, end }: { readonly start: number; readonly middle: number; readonly end: number },
  compare: (a: T, b: T) => number,
): Steps<void> {
  let left = start;
  let right = middle;
  const mergeUntil = (begin: number, stop: number): void => {
    for (let at = begin; at < stop; at += 1) {
      const takesLeft = right >= end || (left < middle && compare(from[left] as T, from[right] as T) <= 0);
      to[at] = from[takesLeft ? left++ : right++] as T;
    }
  };
  for (let at = start; at < end; at += STEP_ENTRIES) {
    mergeUntil(at, Math.min(at + STEP_ENTRIES, end));
    yield;
  }
}
