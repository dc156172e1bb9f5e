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
export function runFirstSteps<T>(steps: Steps<T>, count: number): { readonly value: T } | Promise<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value };
  }
  return runInSlices(steps);
}

export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (performance.now() < end);
    await new Promise(setImmediate);
  }
}
