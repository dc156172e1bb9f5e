// Where the gateway listens when nobody says otherwise.

export const DEFAULT_HOST = "127.0.0.1";

/** O-N-Y-M on the keys of a telephone. */
export const DEFAULT_PORT = 6696;
