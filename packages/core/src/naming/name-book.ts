// Which texts are gone, and to whom, while names are being given out; afterwards, the way back from name to tool.

/** Owners are positions in the list of tools; what is kept for somebody who is not in the list has no position. */
export class NameBook {
  readonly #owners = new Map<string, number>();
  readonly #absent: string[] = [];
  readonly #sameAs: ((name: string) => string) | undefined;
  /** For clients that confuse names: the texts they cannot tell apart, once each. */
  readonly #confused = new Set<string>();

  /** `sameAs` gives one text to all names that the client cannot tell apart. */
  constructor(sameAs: ((name: string) => string) | undefined) {
    this.#sameAs = sameAs;
  }

  /** Keeps a name from everybody but `owner`, who is not in the list (yet). */
  keep(name: string, owner: string): void {
    this.#owners.set(name, -this.#absent.push(owner));
    if (this.#sameAs !== undefined) this.#confused.add(this.#sameAs(name));
  }

  give(name: string, index: number): void {
    this.#owners.set(name, index);
    if (this.#sameAs !== undefined) this.#confused.add(this.#sameAs(name));
  }

  /** Takes a name if it is free. */
  claim(name: string, index: number): boolean {
    if (this.#owners.has(name)) return false;
    if (this.#sameAs !== undefined) {
      const text = this.#sameAs(name);
      if (this.#confused.has(text)) return false;
      this.#confused.add(text);
    }
    this.#owners.set(name, index);
    return true;
  }

  has(name: string): boolean {
    return this.#owners.has(name);
  }

  /** The position of the tool that holds this name. */
  indexOf(name: string): number | undefined {
    const owner = this.#owners.get(name);
    return owner === undefined || owner < 0 ? undefined : owner;
  }

  /** The absent owner for whom a name is kept. */
  keptFor(name: string): string | undefined {
    const owner = this.#owners.get(name);
    return owner === undefined || owner >= 0 ? undefined : this.#absent[-1 - owner];
  }
}
