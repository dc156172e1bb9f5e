// Which texts are gone, and to whom, while names are being given out; afterwards, the way back from name to tool.

/** Owners are positions in the list of tools; what is kept for somebody who is not in the list has no position. */
export class NameBook {
  readonly #owners = new Map<string, number>();
  readonly #absent: string[] = [];
  readonly #sameAs: ((name: string) => string) | undefined;

  /** `sameAs` gives one text to all names that the client cannot tell apart. */
  constructor(sameAs: ((name: string) => string) | undefined) {
    this.#sameAs = sameAs;
  }

  /** Keeps a name from everybody but `owner`, who is not in the list (yet). */
  keep(name: string, owner: string): void {
    this.#owners.set(this.#text(name), -this.#absent.push(owner));
  }

  give(name: string, index: number): void {
    this.#owners.set(this.#text(name), index);
  }

  /** Takes a name if it is free. */
  claim(name: string, index: number): boolean {
    const text = this.#text(name);
    if (this.#owners.has(text)) return false;
    this.#owners.set(text, index);
    return true;
  }

  /** The position of the tool that holds this name. */
  indexOf(name: string): number | undefined {
    const owner = this.#owners.get(this.#text(name));
    return owner === undefined || owner < 0 ? undefined : owner;
  }

  /** The absent owner for whom a name is kept. */
  keptFor(name: string): string | undefined {
    const owner = this.#owners.get(this.#text(name));
    return owner === undefined || owner >= 0 ? undefined : this.#absent[-1 - owner];
  }

  #text(name: string): string {
    return this.#sameAs === undefined ? name : this.#sameAs(name);
  }
}
