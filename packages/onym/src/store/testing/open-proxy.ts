// A proxy to a database server that can be cut, and that can go dead without anybody noticing.

import { connect, createServer, type Server, type Socket } from "node:net";

export interface DatabaseProxy {
  readonly location: string;
  /** Ends every connection; new ones are refused. */
  readonly cut: () => void;
  /** Resolves when somebody has tried in vain. */
  readonly refused: Promise<void>;
  /** Connections stay, and new ones are taken; what is sent on them arrives after `fix`. */
  readonly stall: () => void;
  /** Connections that are there now stay and carry nothing any more; new ones are as good as ever. */
  readonly deaden: () => void;
  readonly fix: () => void;
  /** From now on, cuts each connection on which this is sent. */
  readonly forbid: (text: string) => void;
  /** Resolves when a client sends this on a connection that is opened from now on. */
  readonly sends: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/** With these limits, so that a test need not wait long for a server that does not answer. */
const LIMITS = { query_timeout: "400", connect_timeout: "1" };

export async function openProxy(
  location: string,
  limits: Readonly<Record<string, string>> = {},
): Promise<DatabaseProxy> {
  const target = new URL(location);
  const [port, host] = [Number(target.port || 5432), target.hostname];
  const pairs = new Set<Pair>();
  const dead = new Set<Pair>();
  const listeners = new Set<(pair: Pair, chunk: Buffer) => void>();
  let state: "open" | "cut" | "stalled" = "open";
  let refuse = (): void => {};
  const refused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  const server: Server = createServer((near) => {
    if (state === "cut") {
      near.destroy();
      refuse();
      return;
    }
    const far = connect(port, host);
    const pair = { near, far };
    pairs.add(pair);
    near.on("data", (chunk: Buffer) => {
      for (const listen of [...listeners]) listen(pair, chunk);
      far.write(chunk);
    });
    far.on("data", (chunk: Buffer) => void near.write(chunk));
    for (const socket of [near, far]) {
      socket.on("error", () => {});
      socket.on("close", () => {
        pairs.delete(pair);
        near.end();
        far.end();
      });
    }
    if (state === "stalled") pauseBoth(pair);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  target.port = String(typeof address === "object" && address !== null ? address.port : 0);
  target.hostname = "127.0.0.1";
  for (const [name, value] of Object.entries(limits)) target.searchParams.set(name, value);
  const destroyAll = (): void => {
    for (const { near, far } of [...pairs, ...dead]) {
      near.destroy();
      far.destroy();
    }
  };
  return {
    location: target.href,
    refused,
    cut: () => {
      state = "cut";
      destroyAll();
    },
    stall: () => {
      state = "stalled";
      for (const pair of pairs) pauseBoth(pair);
    },
    deaden: () => {
      for (const pair of pairs) {
        pauseBoth(pair);
        pairs.delete(pair);
        dead.add(pair);
      }
    },
    fix: () => {
      state = "open";
      for (const { near, far } of pairs) {
        near.resume();
        far.resume();
      }
    },
    forbid: (text) => {
      listeners.add(({ near, far }, chunk) => {
        if (!chunk.includes(text)) return;
        near.destroy();
        far.destroy();
      });
    },
    sends: (text) => {
      const before = new Set(pairs);
      return new Promise((resolve) => {
        const listen = (pair: Pair, chunk: Buffer): void => {
          if (before.has(pair) || !chunk.includes(text)) return;
          listeners.delete(listen);
          resolve();
        };
        listeners.add(listen);
      });
    },
    close: () =>
      new Promise((resolve) => {
        destroyAll();
        server.close(() => resolve());
      }),
  };
}

/** A line whose silence is noticed soon. */
export function openImpatientProxy(location: string): Promise<DatabaseProxy> {
  return openProxy(location, LIMITS);
}

function pauseBoth({ near, far }: Pair): void {
  near.pause();
  far.pause();
}
