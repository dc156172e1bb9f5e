// Which names are taken, and by which tool, during assignment. Afterwards it maps names back to tools.

/**
 * Owners are positions in the list of tools. Reserved names have no position, even if their tool is in the list.
 */
export class NameBook {
  readonly #owners = new Map<string, number>();
  readonly #absent: string[] = [];
  readonly #sameAs: ((name: string) => string) | undefined;
  readonly #keyOf: (index: number) => string | undefined;
  /** For clients that confuse names: the first name of each group that they cannot distinguish. */
  readonly #confused = new Map<string, string>();

  /**
   * `sameAs` maps names that the client cannot distinguish to the same text; `keyOf` gives the tool at a position.
   */
  constructor(
    sameAs: ((name: string) => string) | undefined,
    keyOf: (index: number) => string | undefined = () => undefined,
  ) {
    this.#sameAs = sameAs;
    this.#keyOf = keyOf;
  }

  /** Reserves a name for `owner`: a tool's key, or a description of anything else. */
  keep(name: string, owner: string): void {
    this.#owners.set(name, -this.#absent.push(owner));
    this.#remember(name);
  }

  give(name: string, index: number): void {
    this.#owners.set(name, index);
    this.#remember(name);
  }

  /** Takes a name if it is free or reserved for this tool. */
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

  /** Another name that the client cannot distinguish from this one. */
  rivalOf(name: string): string | undefined {
    if (this.#sameAs === undefined) return undefined;
    const rival = this.#confused.get(this.#sameAs(name));
    return rival === name ? undefined : rival;
  }

  /** The position of the tool that has this name. */
  indexOf(name: string): number | undefined {
    const owner = this.#owners.get(name);
    return owner === undefined || owner < 0 ? undefined : owner;
  }

  /** The owner that a name is reserved for. */
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
