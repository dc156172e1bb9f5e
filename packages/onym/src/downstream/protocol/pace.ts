// Limits how fast a server is read (SAFE-4, SAFE-5): after a number of messages other work gets a turn of the
// event loop, large messages are parsed in slices, and unsolicited ones are limited per second. A server that sends
// more waits in its own pipe. What may be dropped, progress and log messages, is limited far less, because answers to
// other callers wait behind it in the same pipe (decision 0210).

import { estimateValues } from "../../mcp/estimate-values.js";
import { MAX_VALUES, type ParsedMessage, SLICED_BYTES } from "../../mcp/fast-path/parse-large.js";
import { parseServerMessage, parseServerMessageSteps } from "../../mcp/message.js";
import type { Clock } from "../../model/clock.js";
import { runInSlices } from "../../model/run-slices.js";

/** Messages and bytes of one server per turn, over all its streams. */
export const TURN_MESSAGES = 128;
const TURN_BYTES = 128 * 1024;
/** Bytes between two checks of the limits: they may hold a thousand messages of two bytes. */
export const SLICE_BYTES = 2048;

/** Unsolicited messages: per second, and the burst after a quiet period. */
export const UNSOLICITED_RATE = 1_000;
export const UNSOLICITED_BURST = 10_000;
/** A message that may be dropped costs little, and counts as this part of one: about as many pass as a fast server writes. */
export const DROPPABLE_COST = 1 / 100;
/** Log messages that are passed on: per second, and the burst after a quiet period. */
export const LOG_RATE = 1_000;
export const LOG_BURST = 10_000;
/** A message counts once more for each of this many bytes. */
const UNSOLICITED_BYTES = 16 * 1024;
/** And for each of so many JSON values and keys: those of a thousand messages take 10 to 20 ms. */
export const UNSOLICITED_VALUES = 64;
/** What a message has beside them at no cost: more than progress and most log messages have. */
export const FREE_VALUES = 32;
/** The longest delay, however large the last message was. */
const MAX_DELAY_MS = 5_000;
/** The interval between two log lines. */
const LOG_INTERVAL_MS = 60_000;

/** Messages of the largest size that may be incomplete at once, over all streams of a server. */
export const OPEN_FRAMES = 4;

/** What is told of a server that sends too much, once a minute. */
export interface PaceEvents {
  readonly onFlood: () => void;
  /** Messages of batches that were dropped since the last time. */
  readonly onDropped: (messages: number) => void;
  /** Log messages that were dropped since the last time. */
  readonly onDroppedLog: (messages: number) => void;
}

/** What one server has used, over all its streams. A class, because it counts every message. */
export class Pace {
  readonly #clock: Clock;
  readonly #onFlood: () => void;
  readonly #droppedOfBatches: DropReport;
  readonly #droppedOfLog: DropReport;
  #messages = 0;
  #bytes = 0;
  #lastLength = 0;
  /** Its text while it is handled, for its values. */
  #lastSource: string | Buffer = "";
  /** Its values, once they are known. */
  #lastValues: number | undefined;
  /** How many messages it is: more than one if it is a batch. */
  #lastMessages = 1;
  /** Unsolicited messages since the last update. */
  #unsolicited = 0;
  #allowed = UNSOLICITED_BURST;
  #updatedAt: number;
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Log messages that may be passed on, and when that was worked out. */
  #logAllowed = LOG_BURST;
  #logUpdatedAt: number;
  /** Bytes of incomplete messages. */
  #openBytes = 0;
  /** What the server may take of this turn of the event loop is used up. */
  #isTurnOver = false;
  #isTurnComing = false;
  /** Its streams that wait for a turn, longest first. */
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, { onFlood, onDropped, onDroppedLog }: PaceEvents) {
    this.#clock = clock;
    this.#updatedAt = clock.now();
    this.#logUpdatedAt = this.#updatedAt;
    this.#onFlood = onFlood;
    this.#droppedOfBatches = new DropReport(onDropped);
    this.#droppedOfLog = new DropReport(onDroppedLog);
  }

  /** Call before a message is handled. `source`: its text, if it was parsed. */
  count(length: number, source: string | Buffer = ""): void {
    this.#messages += 1;
    this.#lastLength = length;
    this.#lastSource = source;
    this.#lastValues = undefined;
    this.#lastMessages = 1;
  }

  /** Call after a message with a source was handled: its text is kept no longer. */
  forget(): void {
    this.#lastSource = "";
  }

  /** The last counted message is a batch: it counts as its messages would one by one. */
  countBatch(messages: number): void {
    if (messages <= 1) return;
    this.#messages += messages - 1;
    this.#lastLength /= messages;
    this.#lastMessages = messages;
  }

  /** Counts the bytes and values of messages of a batch that are dropped, and reports them. */
  countDropped(messages: number): void {
    this.#unsolicited += messages * this.#weigh();
    this.#droppedOfBatches.add(messages, this.#clock.now());
  }

  /** The last counted message was unsolicited. */
  countUnsolicited(): void {
    this.#unsolicited += 1 + this.#weigh();
  }

  /**
   * The last counted message may be dropped: a log message, or progress or an answer of a request that was sent, even if its
   * caller gave up.
   */
  countDroppable(): void {
    this.#unsolicited += DROPPABLE_COST + this.#weigh();
  }

  /**
   * What the bytes and the values of the last counted message, or of one in its batch, cost. Never called for answers that are
   * waited for.
   */
  #weigh(): number {
    // More are not parsed.
    this.#lastValues ??= estimateValues(this.#lastSource, MAX_VALUES);
    const values = Math.max(0, this.#lastValues - FREE_VALUES) / this.#lastMessages;
    return this.#lastLength / UNSOLICITED_BYTES + values / UNSOLICITED_VALUES;
  }

  /** Whether one more log message is passed on. Reports those that are not. */
  admitsLog(): boolean {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#logUpdatedAt) * LOG_RATE) / 1000;
    this.#logAllowed = Math.min(LOG_BURST, this.#logAllowed + earned);
    this.#logUpdatedAt = now;
    if (this.#logAllowed < 1) {
      this.#droppedOfLog.add(1, now);
      return false;
    }
    this.#logAllowed -= 1;
    return true;
  }

  /** Input without a message arrived. */
  countEmpty(): void {
    this.count(0);
    this.countUnsolicited();
  }

  /** Adds bytes of incomplete messages; negative when a message is complete. `false` if there are too many. */
  addOpenBytes(bytes: number, frameBytes: number): boolean {
    this.#openBytes += bytes;
    return this.#openBytes <= OPEN_FRAMES * frameBytes;
  }

  /** Call after each slice: how long to stop reading, 0 for one turn; `undefined`: continue. */
  delayAfter(bytes: number): number | undefined {
    this.#bytes += bytes;
    if (this.#messages < TURN_MESSAGES && this.#bytes < TURN_BYTES) return undefined;
    this.#messages = 0;
    this.#bytes = 0;
    this.#isTurnOver = true;
    this.#scheduleTurn();
    return this.#update();
  }

  /** Whether no stream of the server is read any more in this turn. */
  get isTurnOver(): boolean {
    return this.#isTurnOver;
  }

  /** Calls back in a later turn, after the streams that wait already. */
  awaitTurn(goOn: () => void): void {
    this.#waiting.push(goOn);
    this.#scheduleTurn();
  }

  #scheduleTurn(): void {
    if (this.#isTurnComing) return;
    this.#isTurnComing = true;
    setImmediate(this.#beginTurn);
  }

  readonly #beginTurn = (): void => {
    this.#isTurnComing = false;
    this.#isTurnOver = false;
    // A stream that uses the turn up ends it for those behind.
    while (!this.#isTurnOver) {
      const goOn = this.#waiting.shift();
      if (goOn === undefined) return;
      goOn();
    }
  };

  #update(): number {
    const now = this.#clock.now();
    const earned = (Math.max(0, now - this.#updatedAt) * UNSOLICITED_RATE) / 1000;
    this.#allowed = Math.min(UNSOLICITED_BURST, this.#allowed + earned) - this.#unsolicited;
    // Later, while another stream pays what it owes.
    this.#updatedAt = Math.max(now, this.#updatedAt);
    this.#unsolicited = 0;
    if (this.#allowed >= 0) return 0;
    if (now - this.#loggedAt >= LOG_INTERVAL_MS) {
      this.#loggedAt = now;
      this.#onFlood();
    }
    const debt = Math.min((-this.#allowed * 1000) / UNSOLICITED_RATE, MAX_DELAY_MS);
    // The debt is paid by the delay, after those of other streams; the allowance grows again when all are over.
    this.#allowed = 0;
    this.#updatedAt += debt;
    return this.#updatedAt - now;
  }
}

/** Counts what is dropped, and reports it once a minute. */
export class DropReport {
  readonly #report: (messages: number) => void;
  #dropped = 0;
  #reportedAt = Number.NEGATIVE_INFINITY;

  constructor(report: (messages: number) => void) {
    this.#report = report;
  }

  add(messages: number, now: number): void {
    this.#dropped += messages;
    if (now - this.#reportedAt < LOG_INTERVAL_MS) return;
    this.#reportedAt = now;
    this.#report(this.#dropped);
    this.#dropped = 0;
  }
}

export interface PacedReadingOptions {
  readonly pace: Pace;
  readonly clock: Clock;
  /** Consumes bytes. Returns a promise if reading must pause until it resolves. */
  readonly take: (bytes: Uint8Array) => Promise<void> | undefined;
  readonly pause: () => void;
  readonly resume: () => void;
}

export interface PacedReading {
  readonly push: (bytes: Uint8Array) => void;
  /** Calls back when everything that was pushed has been consumed. */
  readonly end: (onTaken: () => void) => void;
  /** Gives up what waits to be read, and leaves no timer behind. */
  readonly close: () => void;
}

/** Reads one stream at the pace of its server. */
export function createPacedReading(options: PacedReadingOptions): PacedReading {
  return new Paced(options);
}

class Paced implements PacedReading {
  readonly #options: PacedReadingOptions;
  #waiting: Uint8Array[] = [];
  #isPaused = false;
  #onTaken: (() => void) | undefined;
  #stopDelay = (): void => {};
  #isClosed = false;

  constructor(options: PacedReadingOptions) {
    this.#options = options;
  }

  push(bytes: Uint8Array): void {
    if (this.#isPaused) {
      // Bytes that were already on the way; the stream may have been resumed in the meantime.
      this.#waiting.push(bytes);
      this.#options.pause();
    } else if (this.#options.pace.isTurnOver) this.#pauseFor(0, bytes, undefined);
    else this.#read(bytes);
  }

  end(onTaken: () => void): void {
    if (this.#isPaused) this.#onTaken = onTaken;
    else onTaken();
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting = [];
    this.#stopDelay();
  }

  #read(bytes: Uint8Array): void {
    const { take, pace } = this.#options;
    for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
      const slice =
        bytes.length <= SLICE_BYTES
          ? bytes
          : bytes.subarray(start, Math.min(start + SLICE_BYTES, bytes.length));
      const busy = take(slice);
      const delay = pace.delayAfter(slice.length);
      if (delay === undefined && busy === undefined) continue;
      this.#pauseFor(delay ?? 0, bytes.subarray(start + slice.length), busy);
      return;
    }
  }

  #pauseFor(ms: number, left: Uint8Array, busy: Promise<void> | undefined): void {
    const { pause, clock, pace } = this.#options;
    this.#isPaused = true;
    if (left.length > 0) this.#waiting.unshift(left);
    pause();
    const awaitTurn = (): void => pace.awaitTurn(this.#goOn);
    const goOn = (): void => {
      if (this.#isClosed) return;
      if (ms === 0) awaitTurn();
      else this.#stopDelay = clock.after(ms, awaitTurn);
    };
    if (busy === undefined) goOn();
    else void busy.then(goOn, goOn);
  }

  readonly #goOn = (): void => {
    if (this.#isClosed) return;
    this.#isPaused = false;
    while (!this.#isPaused) {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#options.resume();
        this.#onTaken?.();
        return;
      }
      this.#read(next);
    }
  };
}

// Delivers the messages of one stream in order. A large one is parsed in slices (SAFE-4), and later ones wait for it.
// They are few, because the reader of the stream pauses while `busy` is set.

type Deliver = (parsed: ParsedMessage, source: string | Buffer) => void;

export class ArrivingMessages {
  private readonly deliver: Deliver;
  private readonly waiting: (string | Buffer)[] = [];
  /** Resolves when all messages are delivered; `undefined` if they are. */
  busy: Promise<void> | undefined;

  constructor(deliver: Deliver) {
    this.deliver = deliver;
  }

  push(source: string | Buffer): void {
    if (this.busy !== undefined) this.waiting.push(source);
    else if (source.length < SLICED_BYTES) this.deliver(parseServerMessage(source), source);
    else this.busy = this.parseLarge(source);
  }

  private async parseLarge(first: string | Buffer): Promise<void> {
    try {
      for (let next: string | Buffer | undefined = first; next !== undefined; next = this.waiting.shift())
        this.deliver(await parseInSlices(next), next);
    } finally {
      this.busy = undefined;
    }
  }
}

function parseInSlices(source: string | Buffer): Promise<ParsedMessage> | ParsedMessage {
  if (source.length < SLICED_BYTES) return parseServerMessage(source);
  return runInSlices(parseServerMessageSteps(typeof source === "string" ? Buffer.from(source) : source));
}
