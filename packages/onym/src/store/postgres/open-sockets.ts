// The lines to a database, so that none of them outlives the store: a server that is silent does not hang up either.

import { Socket } from "node:net";

export interface OpenSockets {
  readonly open: () => Socket;
  /** Waits until all are closed, and closes those that are still there after so long. */
  readonly close: (ms: number) => Promise<void>;
}

export function createSockets(): OpenSockets {
  const sockets = new Set<Socket>();
  return {
    open() {
      const socket = new Socket();
      sockets.add(socket);
      socket.once("close", () => sockets.delete(socket));
      return socket;
    },
    async close(ms) {
      const timer = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, ms);
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once("close", resolve))),
      );
      clearTimeout(timer);
    },
  };
}
