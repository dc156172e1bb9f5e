// Large work in slices, so that nobody waits longer than a moment for their turn of the event loop (SAFE-4). The work is
// written once, as steps: at once where there is little of it, in slices where there may be much.

export type Steps<T> = Generator<undefined, T, undefined>;

/** Tools from which on work about them is sliced. */
export const MANY_TOOLS = 1_000;
/** How long one slice may take. A step should take far less. */
const SLICE_MS = 10;

export function runAtOnce<T>(steps: Steps<T>): T {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}

/** So many steps at once. A promise of what comes of it where that was not all of them. */
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
