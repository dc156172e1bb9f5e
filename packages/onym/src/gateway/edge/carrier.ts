// What takes a message to a client: a line, or the stream of one request.

export interface Carrier {
  /** `false` when it cannot be delivered, now or later. */
  readonly send: (json: string) => boolean;
}
