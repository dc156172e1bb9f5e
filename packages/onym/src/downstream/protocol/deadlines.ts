// When those who wait for an answer stop waiting. Nearly every request is answered long before, and a timer for each costs
// more than the rest of the waiting: those that are due at about the same time share one.

/** In a ring with those that share its timer; alone in it before and after. Whoever has left keeps nobody in memory. */
export abstract class Deadline {
  before: Deadline = this;
  after: Deadline = this;
  abstract expire(): void;
}

/** Beyond it, `setTimeout` fires at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** By the moment they are due, in ms on the clock of `performance.now`. */
const timers = new Map<number, SharedTimer>();

/** It expires once, late by a 64th of `ms`, or by one, at most. Does not keep the process alive. */
export function addDeadline(deadline: Deadline, ms: number): void {
  const now = performance.now();
  // The power of two below a 64th of it: different waits share timers too, and there are few, however many wait.
  const grain = 1 << Math.max(25 - Math.clz32(ms), 0);
  const due = Math.ceil((now + ms) / grain) * grain;
  const timer = timers.get(due) ?? new SharedTimer(due, now);
  deadline.before = timer.before;
  deadline.after = timer;
  timer.before.after = deadline;
  timer.before = deadline;
}

/** Nothing where it has passed, or was never added. */
export function dropDeadline(deadline: Deadline): void {
  deadline.before.after = deadline.after;
  deadline.after.before = deadline.before;
  deadline.before = deadline;
  deadline.after = deadline;
}

class SharedTimer extends Deadline {
  constructor(due: number, now: number) {
    super();
    timers.set(due, this);
    const fire = (): void => {
      timers.delete(due);
      this.expire();
    };
    setTimeout(fire, Math.min(due - now, LONGEST_TIMER)).unref();
  }

  expire(): void {
    try {
      while (this.after !== this) {
        const first = this.after;
        dropDeadline(first);
        first.expire();
      }
    } finally {
      // One that throws does so alone.
      if (this.after !== this) setTimeout(() => this.expire()).unref();
    }
  }
}
