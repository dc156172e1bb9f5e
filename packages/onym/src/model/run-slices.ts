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

/** For whom work is done. */
export interface SlicedFor {
  /** Work of one caller takes turns with that of others (SAFE-5). Absent: it is for all, or for nobody in particular. */
  readonly callerKey?: string | undefined;
  /** Nobody needs the result once it is aborted. An `AbortSignal`, or the cancel signal of a request. */
  readonly signal?: { readonly aborted: boolean } | undefined;
}

/** Work that stopped before its end, because nobody needs it any more. */
export class AbandonedError extends Error {
  override readonly name = "AbandonedError";
}

/** Runs this many steps at once. Returns a promise of the result if there are more. */
export function runFirstSteps<T>(
  steps: Steps<T>,
  count: number,
  whom?: SlicedFor,
): { readonly value: T } | Promise<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value };
  }
  return runInSlices(steps, whom);
}

/**
 * Runs steps between other requests. All work that is sliced at the same time shares the slices: callers take turns.
 *
 * @throws an `AbandonedError`, before the next slice, once nobody needs the result any more.
 */
export function runInSlices<T>(steps: Steps<T>, { callerKey, signal }: SlicedFor = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (waiting.isEmpty && !isRunning) setImmediate(runSlice);
    waiting.add(callerKey, {
      steps,
      callerKey,
      signal,
      resolve: resolve as (value: unknown) => void,
      reject,
    });
  });
}

interface SlicedWork extends SlicedFor {
  readonly steps: Steps<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

// What waits for several callers: callers take turns, however much one of them has waiting (SAFE-5).

/** A caller's quota key; what belongs to no caller has a turn of its own. */
export type TurnKey = string | undefined;

/**
 * @example
 * const turns = new CallerTurns<string>();
 * for (const item of ["a1", "a2", "b1"]) turns.add(item[0], item);
 * [turns.take(), turns.take(), turns.take()]; // ["a1", "b1", "a2"]
 */
export class CallerTurns<T> {
  /** What waits, by caller, in the order of the callers' turns. */
  readonly #waiting = new Map<string | symbol, T[]>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  /** Whether something of this caller waits. */
  has(key: string): boolean {
    return this.#waiting.has(key);
  }

  /** Adds it behind what waits for the same caller. */
  add(key: TurnKey, item: T): void {
    const own = key === undefined ? undefined : this.#waiting.get(key);
    if (own === undefined) this.#waiting.set(key ?? Symbol(), [item]);
    else own.push(item);
  }

  /** What `take` would take. */
  peek(): T | undefined {
    for (const [first] of this.#waiting.values()) return first;
    return undefined;
  }

  /** Takes the first of the caller whose turn it is; the others have theirs before its next one. */
  take(): T | undefined {
    for (const [key, own] of this.#waiting) {
      const first = own.shift();
      this.#waiting.delete(key);
      if (own.length > 0) this.#waiting.set(key, own);
      return first;
    }
    return undefined;
  }
}

/** Work that is not done. */
const waiting = new CallerTurns<SlicedWork>();
/** A step may begin other work. */
let isRunning = false;

// Node accepts one connection per turn of the event loop. Behind long turns, new connections would wait in one line for seconds.

/** Turns that slices leave to new connections, one after the other. */
export const MAX_LEFT_TURNS = 16;
let leftTurns = 0;
let isTurnWanted = false;

/** Call for each new connection: if more may wait, slices let some turns go by (SAFE-5). */
export function leaveTurn(): void {
  isTurnWanted = true;
}

/** One slice per turn of the event loop, whoever it is for: many callers together make no turn longer. */
function runSlice(): void {
  const isLeft = isTurnWanted && leftTurns < MAX_LEFT_TURNS;
  isTurnWanted = false;
  leftTurns = isLeft ? leftTurns + 1 : 0;
  if (isLeft) {
    setImmediate(runSlice);
    return;
  }
  isRunning = true;
  const end = performance.now() + SLICE_MS;
  do {
    const work = waiting.take();
    if (work === undefined) break;
    if (!advance(work, end)) waiting.add(work.callerKey, work);
  } while (performance.now() < end);
  isRunning = false;
  if (!waiting.isEmpty) setImmediate(runSlice);
}

/** Whether the work is done. */
function advance({ steps, signal, resolve, reject }: SlicedWork, end: number): boolean {
  if (signal?.aborted === true) {
    reject(new AbandonedError("Nobody needs the result any more"));
    return true;
  }
  try {
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
