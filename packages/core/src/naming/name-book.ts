// Which texts are gone, and to whom, while names are being given out; afterwards, the way back from name to tool.

/** Owners are positions in the list of tools; what is kept for somebody (in the list or not) has no position. */
export class NameBook {
  readonly #owners = new Map<string, number>();
  readonly #absent: string[] = [];
  readonly #sameAs: ((name: string) => string) | undefined;
  readonly #keyOf: (index: number) => string | undefined;
  /** For clients that confuse names: the first name with each text that they cannot tell apart. */
  readonly #confused = new Map<string, string>();

  /** `sameAs` gives one text to all names that the client cannot tell apart; `keyOf` says who stands at a position. */
  constructor(
    sameAs: ((name: string) => string) | undefined,
    keyOf: (index: number) => string | undefined = () => undefined,
  ) {
    this.#sameAs = sameAs;
    this.#keyOf = keyOf;
  }

  /** Keeps a name from everybody but `owner`: a tool by its key, or anything else in words. */
  keep(name: string, owner: string): void {
    this.#owners.set(name, -this.#absent.push(owner));
    this.#remember(name);
  }

  give(name: string, index: number): void {
    this.#owners.set(name, index);
    this.#remember(name);
  }

  /** Takes a name if it is free, or kept for this very tool. */
  claim(name: string, index: number): boolean {
    const rival = this.rivalOf(name);
    if (this.#owners.has(name) && !this.#isKeptFor(name, index)) return false;
    if (rival !== undefined && !this.#isKeptFor(rival, index)) return false;
    this.give(name, index);
    return true;
  }

  #isKeptFor(name: string, index: number): boolean {
    const owner = this.keptFor(name);
    return owner !== undefined && owner === this.#keyOf(index);
  }

  has(name: string): boolean {
    return this.#owners.has(name);
  }

  /** Another name that the client would take for this one. */
  rivalOf(name: string): string | undefined {
    if (this.#sameAs === undefined) return undefined;
    const rival = this.#confused.get(this.#sameAs(name));
    return rival === name ? undefined : rival;
  }

  /** The position of the tool that holds this name. */
  indexOf(name: string): number | undefined {
    const owner = this.#owners.get(name);
    return owner === undefined || owner < 0 ? undefined : owner;
  }

  /** The owner for whom a name is kept. */
  keptFor(name: string): string | undefined {
    const owner = this.#owners.get(name);
    return owner === undefined ? undefined : this.#absent[-1 - owner];
  }

  #remember(name: string): void {
    if (this.#sameAs === undefined) return;
    const text = this.#sameAs(name);
    if (!this.#confused.has(text)) this.#confused.set(text, name);
  }
}
