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
  /** Calls the listener with the first caller's key once another one waits, too; see `SharedTurn`. */
  readonly onShared?: (listener: (first: string) => void) => void;
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
export function runInSlices<T>(steps: Steps<T>, whom: SlicedFor = {}): Promise<T> {
  return new Promise((resolve, reject) => {
    if (waiting.isEmpty && !isRunning) setImmediate(runSlice);
    const work = { steps, whom, resolve: resolve as (value: unknown) => void, reject };
    waiting.add(whom.callerKey, work);
    whom.onShared?.((first) => waiting.release(first, work));
  });
}

interface SlicedWork {
  readonly steps: Steps<unknown>;
  readonly whom: SlicedFor;
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

  /** Gives what waits in a caller's turn one of its own. */
  release(key: string, item: T): void {
    const own = this.#waiting.get(key) ?? [];
    const at = own.indexOf(item);
    if (at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(key);
    this.add(undefined, item);
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

/**
 * For whom work is done that several callers may come to wait for. It has the turn of the one for whom it was begun, until
 * another waits for it, too: from then on it has turns of its own, or that one would wait behind all else of the first.
 *
 * @example
 * const turn = new SharedTurn({ callerKey: "a" });
 * const made = runInSlices(steps, turn);
 * turn.join("b"); // before "b" waits for `made`
 */
export class SharedTurn implements SlicedFor {
  readonly signal: SlicedFor["signal"];
  #callerKey: TurnKey;
  #listeners: ((first: string) => void)[] = [];

  constructor({ callerKey, signal }: Pick<SlicedFor, "callerKey" | "signal">) {
    this.#callerKey = callerKey;
    this.signal = signal;
  }

  get callerKey(): TurnKey {
    return this.#callerKey;
  }

  /** Call for each caller that waits for the work. */
  join(callerKey: TurnKey): void {
    const first = this.#callerKey;
    if (first === undefined || first === callerKey) return;
    this.#callerKey = undefined;
    for (const listener of this.#listeners) listener(first);
    this.#listeners = [];
  }

  readonly onShared = (listener: (first: string) => void): void => {
    if (this.#callerKey !== undefined) this.#listeners.push(listener);
  };
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
    if (!advance(work, end)) waiting.add(work.whom.callerKey, work);
  } while (performance.now() < end);
  isRunning = false;
  if (!waiting.isEmpty) setImmediate(runSlice);
}

/** Whether the work is done. */
function advance({ steps, whom: { signal }, resolve, reject }: SlicedWork, end: number): boolean {
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
