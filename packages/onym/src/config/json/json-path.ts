// Places in a JSON document.

export type JsonPath = readonly (string | number)[];

/** Where something stands in a file, counted from 1. */
export interface Place {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}
