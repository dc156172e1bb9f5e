// Runs large work in slices, to keep the event loop free (SAFE-4). The work is written once, as steps: it runs in
// one go if it is small, in slices if it may be large.

export type Steps<T> = Generator<undefined, T, undefined>;

/** The number of tools from which work about them is sliced. */
export const MANY_TOOLS = 1_000;
/** The maximum duration of a slice. A step should take far less. */
const SLICE_MS = 10;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** Runs this many steps at once. Returns a promise of the result if there are more. */
export function runFirstSteps<T>(
  steps: Steps<T>,
  count: number,
  signal?: AbortSignal,
): { readonly value: T } | Promise<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value };
  }
  return runInSlices(steps, signal);
}

/**
 * Runs steps between other requests. All work that is sliced at the same time shares the slices.
 *
 * @throws the signal's reason, before the next slice, once nobody needs the result any more.
 */
export function runInSlices<T>(steps: Steps<T>, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    waiting.push({ steps, signal, resolve: resolve as (value: unknown) => void, reject });
    if (waiting.length === 1) setImmediate(runSlice);
  });
}

interface SlicedWork {
  readonly steps: Steps<unknown>;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Work that is not done, in the order of its turns. */
const waiting: SlicedWork[] = [];

/** One slice per turn of the event loop, whoever it is for: many callers together make no turn longer. */
function runSlice(): void {
  const end = performance.now() + SLICE_MS;
  do {
    const work = waiting[0] as SlicedWork;
    const isDone = advance(work, end);
    waiting.shift();
    if (!isDone) waiting.push(work);
  } while (waiting.length > 0 && performance.now() < end);
  if (waiting.length > 0) setImmediate(runSlice);
}

/** Whether the work is done. */
function advance({ steps, signal, resolve, reject }: SlicedWork, end: number): boolean {
  try {
    signal?.throwIfAborted();
    do {
      const step = steps.next();
      if (step.done !== true) continue;
      resolve(step.value);
      return true;
    } while (performance.now() < end);
    return false;
  } catch (error) {
    reject(error);
    return true;
  }
}
