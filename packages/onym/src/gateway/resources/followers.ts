// How many clients follow each address, and how many addresses each caller follows. Counted as clients come and go, so that the
// end of one costs the same, however many others there are (SAFE-4).

import { errorReply, type Reply } from "../../mcp/message.js";
import { CODES } from "../../mcp/protocol.js";

/** Resources that the sessions and subscriptions of one caller follow together (SAFE-5). */
export const MAX_CALLER_SUBSCRIPTIONS = 10_000;

/** The error of a request for more. */
export function callerFollowsEnough(): Reply {
  return errorReply(
    CODES.invalidParams,
    `This caller follows ${MAX_CALLER_SUBSCRIPTIONS} resources, or would with these: as many as it may, in all its sessions and subscriptions.`,
    { max: MAX_CALLER_SUBSCRIPTIONS },
  );
}

export class Followers {
  readonly #byAddress = new Counts();
  readonly #byCaller = new Counts();

  /** The clients that follow a normalized address. */
  count(address: string): number {
    return this.#byAddress.of(address);
  }

  /** How many more addresses a caller may follow. */
  roomOf(callerKey: string): number {
    return Math.max(0, MAX_CALLER_SUBSCRIPTIONS - this.#byCaller.of(callerKey));
  }

  /** Counts addresses that a caller names, whether or not a server is asked for them. */
  hold(callerKey: string, addresses: number): void {
    this.#byCaller.add(callerKey, addresses);
  }

  release(callerKey: string, addresses: number): void {
    this.#byCaller.add(callerKey, -addresses);
  }

  /** The addresses of one client, counted as long as they are in the set. */
  createSet(): Set<string> {
    return new CountedSet((address, by) => this.#byAddress.add(address, by));
  }

  /** The same, counted for its caller, too. */
  createSetOf(callerKey: string): Set<string> {
    return new CountedSet((address, by) => {
      this.#byAddress.add(address, by);
      this.#byCaller.add(callerKey, by);
    });
  }
}

class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, by: number): void {
    const count = this.of(key) + by;
    if (count === 0) this.#counts.delete(key);
    else this.#counts.set(key, count);
  }
}

class CountedSet extends Set<string> {
  readonly #counted: (address: string, by: 1 | -1) => void;

  constructor(counted: (address: string, by: 1 | -1) => void) {
    super();
    this.#counted = counted;
  }

  override add(address: string): this {
    if (!this.has(address)) this.#counted(address, 1);
    return super.add(address);
  }

  override delete(address: string): boolean {
    const isDeleted = super.delete(address);
    if (isDeleted) this.#counted(address, -1);
    return isDeleted;
  }

  override clear(): void {
    for (const address of this) this.delete(address);
  }
}
