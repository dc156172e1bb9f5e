// What strangers may take of a turn of the event loop, over real sockets (SAFE-4, SAFE-5).

import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLog } from "../../model/log.js";
import { guardConnections, MAX_PIPELINED, startMessage } from "./guard-connections.js";
import { SERVER_SETTINGS } from "./server-settings.js";
import {
  MESSAGE_UNITS,
  RESUMED_PER_TURN,
  type Readable,
  TURN_UNITS,
  TurnBudget,
  type Waiter,
} from "./turn-budget.js";

const HANDLED_UNITS = 8;
const MANY = 400;

describe("a turn of the event loop", () => {
  let server: Server;
  /** Handled requests, by the turn in which they were started. */
  let turns: string[][];
  /** Requests that were parsed, handled or not. */
  let parsed: number;
  let note: (text: string) => void;
  let answer: (req: IncomingMessage, res: ServerResponse) => void;
  const sockets: Socket[] = [];

  beforeEach(async () => {
    turns = [];
    parsed = 0;
    answer = (req, res) => res.end(`[${req.url}]`);
    let isSameTurn = false;
    note = (text) => {
      if (!isSameTurn) {
        turns.push([]);
        isSameTurn = true;
        // Before the guard's own: it starts what waits in a new turn.
        setImmediate(() => {
          isSameTurn = false;
        });
      }
      turns.at(-1)?.push(text);
    };
    server = createServer(SERVER_SETTINGS).on("request", () => {
      parsed += 1;
    });
    guardConnections(server, { max: 2 * MANY, unreadMs: 60_000, log: silentLog }, [
      (req, res) => {
        note(req.url ?? "");
        answer(req, res);
        return true;
      },
    ]);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async (): Promise<Socket> => {
    // A client is connected before the server has accepted it.
    const accepted = once(server, "connection");
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
    sockets.push(socket);
    await Promise.all([accepted, once(socket, "connect")]);
    return socket;
  };
  const openMany = async (count: number): Promise<Socket[]> => {
    const all: Socket[] = [];
    while (all.length < count) all.push(await open());
    return all;
  };
  const get = (path: string, more = ""): string => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;
  /** The text that arrives until so many responses have. */
  const read = (socket: Socket, count: number): Promise<string> =>
    new Promise((resolve) => {
      let text = "";
      socket.setEncoding("latin1").on("data", (part) => {
        text += part;
        if (text.split("]").length > count) resolve(text);
      });
    });

  it("starts no more requests than its budget, and the others later (SAFE-4)", async () => {
    const clients = await openMany(MANY);
    const answers = clients.map((socket) => read(socket, 1));
    for (const [at, socket] of clients.entries()) socket.write(get(`/${at}`));
    for (const [at, text] of (await Promise.all(answers)).entries()) expect(text).toContain(`[/${at}]`);
    expect(turns.flat()).toHaveLength(MANY);
    expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(TURN_UNITS / HANDLED_UNITS);
  });

  it("starts no more messages that are completed at once, either (SAFE-4)", async () => {
    answer = (req, res) =>
      req.resume().on("end", () =>
        startMessage(req, 0, () => {
          note("message");
          res.end("[]");
        }),
      );
    const clients = await openMany(MANY);
    const answers = clients.map((socket) => read(socket, 1));
    const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{";
    const arrived = new Promise<void>((resolve) => {
      server.on("request", () => {
        if (parsed === MANY) resolve();
      });
    });
    for (const socket of clients) socket.write(head);
    await arrived;
    // Their turn is over.
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    for (const socket of clients) socket.write("}");
    await Promise.all(answers);
    const messages = turns.map((started) => started.filter((text) => text === "message").length);
    expect(messages.reduce((sum, count) => sum + count, 0)).toBe(MANY);
    expect(Math.max(...messages)).toBeLessThanOrEqual(TURN_UNITS / HANDLED_UNITS);
  });

  it("starts no more of those that waited for another, either (SAFE-4)", async () => {
    const clients = await openMany(MANY / 4);
    const answers = clients.map((socket) => read(socket, MAX_PIPELINED));
    for (const socket of clients) socket.write(get("/").repeat(MAX_PIPELINED));
    await Promise.all(answers);
    expect(turns.flat()).toHaveLength((MANY / 4) * MAX_PIPELINED);
    expect(Math.max(...turns.map(({ length }) => length))).toBeLessThanOrEqual(TURN_UNITS / HANDLED_UNITS);
  });

  it("has room for who sends one request while others pipeline (SAFE-5)", async () => {
    const flood = await openMany(MANY);
    const good = await open();
    const answers = flood.map((socket) => read(socket, MAX_PIPELINED));
    for (const socket of flood) socket.write(get("/flood").repeat(MAX_PIPELINED));
    good.write(get("/good"));
    expect(await read(good, 1)).toContain("[/good]");
    const before = turns.flat().length;
    await Promise.all(answers);
    expect(turns.flat()).toHaveLength(MANY * MAX_PIPELINED + 1);
    expect(before).toBeLessThan((MANY * MAX_PIPELINED) / 2);
  });

  it.each([
    ["a body of one chunk", "2\r\n{}\r\n"],
    ["a body of some chunks", "1\r\nx\r\n".repeat(20)],
  ])(
    "reads others while one pipelines requests with %s: they cost what they take (SAFE-4)",
    async (_, chunks) => {
      answer = (req, res) => req.resume().on("end", () => res.end("[]"));
      const accepted = once(server, "connection");
      await open();
      const [other] = (await accepted) as [Socket];
      const client = await open();
      const wasRead: boolean[] = [];
      server.on("request", () => wasRead.push(!other.isPaused()));
      client.write(get("/", "Transfer-Encoding: chunked\r\n").concat(`${chunks}0\r\n\r\n`).repeat(10));
      await read(client, 10);
      expect(wasRead).toEqual(new Array(10).fill(true));
    },
  );

  it("answers pipelined requests in their order, each after the one before (SAFE-5)", async () => {
    let running = 0;
    let most = 0;
    answer = (req, res) => {
      running += 1;
      most = Math.max(most, running);
      setImmediate(() => {
        running -= 1;
        res.end(`[${req.url}]`);
      });
    };
    const paths = Array.from({ length: MAX_PIPELINED }, (_, at) => `/${at}`);
    const client = await open();
    for (let round = 0; round < 2; round++) {
      client.write(paths.map((path) => get(path)).join(""));
      const text = await read(client, MAX_PIPELINED);
      expect(text.match(/(?<=\[)[^\]]*/g)).toEqual(paths);
      client.removeAllListeners("data");
    }
    expect(most).toBe(1);
  });

  it.each([
    ["the shortest request", "GET / HTTP/1.1\r\n\r\n"],
    ["requests that expect what nobody has", get("/", "Expect: x\r\n")],
  ])("parses no more of a packet full of %s than it may hold (SAFE-4)", async (_, text) => {
    const client = await open();
    const closed = new Promise((resolve) => client.once("close", resolve));
    let expected = 0;
    server.on("checkExpectation", () => {
      expected += 1;
    });
    client.resume().write(text.repeat(Math.floor(60_000 / text.length)));
    await closed;
    expect(parsed + expected).toBe(MAX_PIPELINED + 1);
  });

  it("is told what one expects that nobody has, as one of many (SAFE-5)", async () => {
    const client = await open();
    client.write(get("/", "Expect: x\r\n") + get("/next"));
    expect(await read(client, 1)).toMatch(/^HTTP\/1\.1 417 .*\[\/next\]$/s);
  });
});

describe("the budget of a turn", () => {
  class Line implements Readable {
    isRead = true;
    isGone = false;
    owner = "address";
    pause(): boolean {
      const was = this.isRead;
      this.isRead = false;
      return was;
    }
    resume(): void {
      this.isRead = true;
    }
  }
  const lines = (count: number): Line[] => Array.from({ length: count }, () => new Line());
  const waiter = (owner: string): Waiter => ({ owner, isGone: false });
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  it.each([
    ["one below", TURN_UNITS - 1, 0],
    ["at", TURN_UNITS, 3],
    ["one above", TURN_UNITS + 1, 3],
  ])("ends the reading of all connections: %s it (SAFE-4)", async (_, units, paused) => {
    const all = lines(3);
    const budget = new TurnBudget(() => all);
    budget.spend(units, all[0] as Line);
    expect(all.filter(({ isRead }) => !isRead)).toHaveLength(paused);
    await turn();
    expect(all.every(({ isRead }) => isRead)).toBe(true);
  });

  it.each([
    ["one below", 95, 0],
    ["at", 96, 0],
    ["one above", 97, 1],
  ])(
    "resumes so many connections in a turn: %s the limit (limits: RESUMED_PER_TURN of turn-budget) (SAFE-5)",
    async (_, count, left) => {
      const all = lines(count);
      const budget = new TurnBudget(() => all);
      budget.spend(TURN_UNITS, all[0] as Line);
      await turn();
      expect(all.filter(({ isRead }) => !isRead)).toHaveLength(left);
    },
  );

  it("resumes some connections in a turn; who was not served keeps its place (SAFE-5)", async () => {
    const all = lines(RESUMED_PER_TURN + 10);
    const budget = new TurnBudget(() => all);
    const [first, second] = all as [Line, Line];
    budget.spend(TURN_UNITS, first);
    await turn();
    expect(all.map(({ isRead }) => isRead)).toEqual(all.map((_, at) => at < RESUMED_PER_TURN));
    budget.spend(TURN_UNITS, first);
    expect(all.some(({ isRead }) => isRead)).toBe(false);
    await turn();
    expect([first.isRead, second.isRead, all[RESUMED_PER_TURN]?.isRead]).toEqual([false, true, true]);
    await turn();
    expect(all.every(({ isRead }) => isRead)).toBe(true);
  });

  it("has a new connection wait while others do, and forgets who left (SAFE-5)", async () => {
    const all = lines(RESUMED_PER_TURN);
    const budget = new TurnBudget(() => all);
    const [late, gone] = lines(2) as [Line, Line];
    budget.spend(TURN_UNITS, all[0] as Line);
    for (const line of [late, gone]) budget.join(line);
    budget.leave(gone);
    expect(late.isRead).toBe(false);
    await turn();
    // All but one: new ones take turns with those that were read before.
    expect(all.filter(({ isRead }) => !isRead)).toHaveLength(1);
    await turn();
    expect([late.isRead, gone.isRead]).toEqual([true, false]);
  });

  it("reads callers in turns, however many connections of another wait (SAFE-5)", async () => {
    const flood = lines(2 * RESUMED_PER_TURN);
    const [known, other] = lines(2) as [Line, Line];
    Object.assign(known, { owner: "caller:good" });
    Object.assign(other, { owner: "elsewhere" });
    const budget = new TurnBudget(() => [...flood, known]);
    budget.spend(TURN_UNITS, flood[0] as Line);
    budget.join(other);
    await turn();
    expect([known.isRead, other.isRead]).toEqual([true, true]);
  });

  it("reads a new connection before those of its address that came before (SAFE-5)", async () => {
    const all = lines(1);
    const budget = new TurnBudget(() => all);
    budget.spend(TURN_UNITS, all[0] as Line);
    const flood = lines(10 * RESUMED_PER_TURN);
    const late = new Line();
    for (const line of [...flood, late]) budget.join(line);
    await turn();
    expect(late.isRead).toBe(true);
    expect(flood.filter(({ isRead }) => isRead)).toHaveLength(RESUMED_PER_TURN - 2);
  });

  it("starts waiting requests of callers in turns (SAFE-5)", async () => {
    const budget = new TurnBudget(() => []);
    const started: string[] = [];
    const send = (caller: string): void =>
      budget.startLater(TURN_UNITS / 4, waiter(caller), () => void started.push(caller));
    for (let n = 0; n < 4; n++) send("flood");
    send("good");
    for (let n = 0; n < 3; n++) await turn();
    expect(started).toEqual(["flood", "flood", "good", "flood"]);
  });

  it("spends nothing on what nobody waits for any more (SAFE-5)", async () => {
    const budget = new TurnBudget(() => []);
    const started: string[] = [];
    const [gone, good] = lines(2) as [Line, Line];
    for (const line of [gone, gone, gone, good]) {
      const start = (): void => void started.push(line === gone ? "gone" : "good");
      budget.startLater(TURN_UNITS, line, start);
      budget.startMessage(MESSAGE_UNITS, line, start);
    }
    expect(started.splice(0)).toEqual(["gone"]);
    gone.isGone = true;
    await turn();
    expect(started).toEqual(["good", "good"]);
  });

  it("goes on reading however many messages wait (SAFE-5)", () => {
    const all = lines(3);
    const budget = new TurnBudget(() => all);
    for (let n = 0; n < 9; n++) budget.startMessage(TURN_UNITS, waiter("flood"), () => {});
    expect(all.every(({ isRead }) => isRead)).toBe(true);
  });

  it("starts complete messages while it has room, and the others later, callers in turns (SAFE-4, SAFE-5)", async () => {
    const budget = new TurnBudget(() => []);
    const started: string[] = [];
    const send = (caller: string, units: number): void =>
      budget.startMessage(units, waiter(caller), () => void started.push(caller));
    const most = MESSAGE_UNITS / 2;
    send("flood", MESSAGE_UNITS - 1);
    send("flood", most);
    for (let n = 0; n < 3; n++) send("flood", most);
    send("good", 1);
    send("good", most);
    expect(started.splice(0)).toEqual(["flood", "flood"]);
    await turn();
    expect(started.splice(0)).toEqual(["flood"]);
    await turn();
    expect(started.splice(0)).toEqual(["good", "flood"]);
    // There is room for who has nothing waiting.
    send("flood", 1);
    send("other", 1);
    expect(started.splice(0)).toEqual(["other"]);
    await turn();
    expect(started.splice(0)).toEqual(["good"]);
    for (let n = 0; n < 3; n++) await turn();
    expect(started).toEqual(["flood", "flood"]);
  });
});
