// How much of one turn of the event loop the requests of clients may take (SAFE-4). Beyond it connections are not read until
// later turns, some at a time, so that everybody else is served in between. Within it, a request pays for one addition.

import { CallerTurns } from "../../model/run-slices.js";
import { ReadTurns } from "./read-turns.js";

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

/** For whom work waits. */
export interface Waiter {
  /** The caller, else the address. */
  readonly owner: string;
  /** Its client has left: nobody needs the work. */
  readonly isGone: boolean;
}

/** A connection that can be paused. */
export interface Readable extends Waiter {
  /** `false`: it is not being read anyway. */
  readonly pause: () => boolean;
  readonly resume: () => void;
}

interface Start {
  readonly units: number;
  readonly waiter: Waiter;
  readonly start: () => void;
}

/** What is left of the current turn, and who waits for a later one. */
export class TurnBudget {
  readonly #all: () => Iterable<Readable>;
  #spent = 0;
  #messageUnits = 0;
  #isScheduled = false;
  /** Something waits for a later turn. */
  #isBehind = false;
  /** Not read until their turn comes. Those of this turn stay until they are served. */
  readonly #paused = new ReadTurns<Readable>();
  #resumed: readonly Readable[] = [];
  readonly #waiting = new CallerTurns<Start>();
  /** Messages that are complete and not parsed yet. */
  readonly #messages = new CallerTurns<Start>();
  /** Counts the turns in which something was begun. */
  turn = 0;

  /** `all`: every connection that is open. */
  constructor(all: () => Iterable<Readable>) {
    this.#all = all;
  }

  /** Spends units of this turn for what a connection sent. */
  spend(units: number, connection: Readable): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#isBehind) this.#paused.endTurn(connection);
    const hadRoom = this.#spent < TURN_UNITS;
    this.#spent += units;
    if (hadRoom && this.#spent >= TURN_UNITS) this.#pauseAll();
  }

  /**
   * Starts with a complete message now, or in a later turn if this one has no room. Then callers take turns, so that nobody waits
   * for all messages of another.
   */
  startMessage(units: number, waiter: Waiter, start: () => void): void {
    if (!this.#isScheduled) this.#schedule();
    const hasRoom = this.#messageUnits < MESSAGE_UNITS;
    if (hasRoom && !(this.#isBehind && this.#messages.has(waiter.owner))) {
      this.#messageUnits += units;
      start();
      return;
    }
    this.#isBehind = true;
    this.#messages.add(waiter.owner, { units, waiter, start });
  }

  /** Starts now, or in a later turn if this one has no room: then callers take turns, and so do connections of one. */
  startLater(units: number, waiter: Waiter, start: () => void): void {
    if (!this.#isScheduled) this.#schedule();
    if (this.#spent + units <= WAITING_UNITS && !(this.#isBehind && !this.#waiting.isEmpty)) {
      this.#spent += units;
      start();
      return;
    }
    this.#isBehind = true;
    this.#waiting.add(waiter.owner, { units, waiter, start });
  }

  /** A new connection is not read while others wait, either. */
  join(connection: Readable): void {
    if (this.#isBehind && this.#paused.size > 0 && connection.pause()) this.#paused.addNew(connection);
  }

  leave(connection: Readable): void {
    if (this.#isBehind) this.#paused.remove(connection);
  }

  #schedule(): void {
    this.#isScheduled = true;
    setImmediate(this.#nextTurn);
  }

  /** What was resumed in this turn and not served yet keeps its place. */
  #pauseAll(): void {
    this.#isBehind = true;
    for (const connection of this.#resumed) if (this.#paused.has(connection)) connection.pause();
    this.#resumed = [];
    for (const connection of this.#all())
      if (!this.#paused.has(connection) && connection.pause()) this.#paused.add(connection);
  }

  readonly #nextTurn = (): void => {
    this.#spent = 0;
    this.#messageUnits = 0;
    this.turn += 1;
    this.#isScheduled = false;
    if (this.#isBehind) this.#catchUp();
  };

  #catchUp(): void {
    for (const connection of this.#resumed) this.#paused.endTurn(connection);
    this.#resumed = [];
    this.#startWaiting();
    this.#startMessages();
    this.#resumeSome();
    this.#isBehind = this.#paused.size > 0 || !this.#waiting.isEmpty || !this.#messages.isEmpty;
    if (this.#isBehind && !this.#isScheduled) this.#schedule();
  }

  #startMessages(): void {
    while (this.#messageUnits < WAITING_MESSAGE_UNITS) {
      const next = this.#messages.take();
      if (next === undefined) return;
      if (next.waiter.isGone) continue;
      this.#messageUnits += next.units;
      next.start();
    }
  }

  #startWaiting(): void {
    const started: Start[] = [];
    while (this.#spent < WAITING_UNITS) {
      const next = this.#waiting.take();
      if (next === undefined) break;
      if (next.waiter.isGone) continue;
      this.#spent += next.units;
      started.push(next);
    }
    for (const { start } of started) start();
  }

  #resumeSome(): void {
    this.#resumed = this.#paused.next(RESUMED_PER_TURN);
    for (const connection of this.#resumed) connection.resume();
  }
}
