// How much of one turn of the event loop the requests of clients may take (SAFE-4). Beyond it connections are not read until
// later turns, some at a time, so that everybody else is served in between. Within it, a request pays for one addition.

/** Units of work that one turn begins. A request that is handled takes 8. */
export const TURN_UNITS = 768;
/** Connections that are read again in one turn. */
export const RESUMED_PER_TURN = 96;
/** Units of a turn that requests which had to wait may take: new ones of others come first. */
const WAITING_UNITS = TURN_UNITS / 4;

/** Units of a turn that complete messages may take, beside reading: so many end no reading, and nobody waits for connections of others. */
export const MESSAGE_UNITS = TURN_UNITS / 2;
/** Of these, units for messages that had to wait: new ones of others come first. */
const WAITING_MESSAGE_UNITS = MESSAGE_UNITS / 2;

/** A connection that can be paused. */
export interface Readable {
  /** `false`: it is not being read anyway. */
  readonly pause: () => boolean;
  readonly resume: () => void;
}

interface Start {
  readonly units: number;
  readonly start: () => void;
}

/** What is left of the current turn, and who waits for a later one. */
export class TurnBudget {
  readonly #all: () => Iterable<Readable>;
  #spent = 0;
  #messageUnits = 0;
  #isScheduled = false;
  /** Not read until their turn comes, in this order. Those of this turn come first and stay until they are served. */
  readonly #paused = new Set<Readable>();
  #resumed: readonly Readable[] = [];
  #waiting: Start[] = [];
  /** Messages that are complete and not parsed yet, by caller. The first caller is the next. */
  readonly #messages = new Map<string, Start[]>();
  /** Counts the turns in which something was begun. */
  turn = 0;

  /** `all`: every connection that is open. */
  constructor(all: () => Iterable<Readable>) {
    this.#all = all;
  }

  /** Spends units of this turn for what a connection sent. */
  spend(units: number, connection: Readable): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#paused.size > 0) this.#paused.delete(connection);
    const hadRoom = this.#spent < TURN_UNITS;
    this.#spent += units;
    if (hadRoom && this.#spent >= TURN_UNITS) this.#pauseAll();
  }

  /**
   * Starts with a complete message now, or in a later turn if this one has no room. Then callers take turns, so that nobody waits
   * for all messages of another.
   */
  startMessage(units: number, owner: () => string, start: () => void): void {
    if (!this.#isScheduled) this.#schedule();
    const hasRoom = this.#messageUnits < MESSAGE_UNITS;
    const caller = hasRoom && this.#messages.size === 0 ? undefined : owner();
    const waiting = caller === undefined ? undefined : this.#messages.get(caller);
    if (waiting !== undefined) waiting.push({ units, start });
    else if (caller !== undefined && !hasRoom) this.#messages.set(caller, [{ units, start }]);
    else {
      this.#messageUnits += units;
      start();
    }
  }

  /** Starts now, or in a later turn if this one has no room. */
  startLater(units: number, start: () => void): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#waiting.length > 0 || this.#spent + units > WAITING_UNITS) this.#waiting.push({ units, start });
    else {
      this.#spent += units;
      start();
    }
  }

  /** A new connection waits behind those that wait already. */
  join(connection: Readable): void {
    if (this.#paused.size > 0 && connection.pause()) this.#paused.add(connection);
  }

  leave(connection: Readable): void {
    this.#paused.delete(connection);
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(this.#nextTurn);
  }

  /** What was resumed in this turn and not served yet keeps its place. */
  #pauseAll(): void {
    for (const connection of this.#resumed) if (this.#paused.has(connection)) connection.pause();
    this.#resumed = [];
    for (const connection of this.#all())
      if (!this.#paused.has(connection) && connection.pause()) this.#paused.add(connection);
  }

  readonly #nextTurn = (): void => {
    for (const connection of this.#resumed) this.#paused.delete(connection);
    this.#resumed = [];
    this.#spent = 0;
    this.#messageUnits = 0;
    this.turn += 1;
    this.#isScheduled = false;
    this.#startWaiting();
    this.#startMessages();
    this.#resumeSome();
    if (this.#paused.size > 0 || this.#waiting.length > 0 || this.#messages.size > 0) this.#schedule();
  };

  #startMessages(): void {
    for (const [caller, messages] of this.#messages) {
      if (this.#messageUnits >= WAITING_MESSAGE_UNITS) return;
      const next = messages.shift();
      // Behind the others: a map is iterated up to what is added meanwhile.
      this.#messages.delete(caller);
      if (messages.length > 0) this.#messages.set(caller, messages);
      this.#messageUnits += next?.units ?? 0;
      next?.start();
    }
  }

  #startWaiting(): void {
    let count = 0;
    for (const { units } of this.#waiting) {
      if (this.#spent >= WAITING_UNITS) break;
      this.#spent += units;
      count += 1;
    }
    for (const { start } of this.#waiting.splice(0, count)) start();
  }

  #resumeSome(): void {
    const resumed: Readable[] = [];
    for (const connection of this.#paused) {
      if (resumed.length === RESUMED_PER_TURN) break;
      resumed.push(connection);
      connection.resume();
    }
    this.#resumed = resumed;
  }
}
