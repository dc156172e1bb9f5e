// One change in a document, whatever its format.

/** A key of an object, or the entry of a list with this `name`. */
export type EditStep = string | { readonly name: string };

/** Sets the value at a path, with what is missing on the way; without a value, removes what is there. */
export interface Edit {
  readonly path: readonly EditStep[];
  readonly value?: unknown;
}
