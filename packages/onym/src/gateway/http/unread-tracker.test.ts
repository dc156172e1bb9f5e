// What clients leave unread, counted per connection, per caller and in total (SAFE-5).

import { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Duplex } from "node:stream";
import { afterEach, describe, expect, it, vi } from "vitest";
import { systemEdgeClock } from "../../model/clock.js";
import { silentLog } from "../../model/log.js";
import { callerKey, createQuotas } from "../sessions/edge-callers.js";
import { DEFAULT_EDGE_LIMITS } from "../sessions/edge-limits.js";
import { createUnreadBytes, mayWriteMore, noteWritten } from "./guard-connections.js";
import type { UnreadLimits } from "./unread-tracker.js";

describe("unread bytes", () => {
  const ENDLESS: UnreadLimits = {
    connectionUnreadBytes: 1e9,
    callerUnreadBytes: 1e9,
    unreadBytes: 1e9,
    unreadMs: 1e6,
  };
  const MB = 1024 * 1024;
  const quotas = createQuotas(DEFAULT_EDGE_LIMITS, systemEdgeClock, silentLog);
  const shareOf = (caller: string) => quotas.of(callerKey(caller, undefined));

  /** The response to a client that never reads anything. Its timer fires as that of a server's connection does. */
  function writeUnread(bytes: number): ServerResponse {
    const wire = new Duplex({ read() {}, write() {} });
    const socket = Object.assign(wire, {
      setTimeout: (ms: number) => {
        if (ms > 0) setTimeout(() => res.emit("timeout"), ms).unref();
        return wire;
      },
    }) as unknown as Socket;
    const res = new ServerResponse(new IncomingMessage(socket));
    res.assignSocket(socket);
    res.write(Buffer.alloc(bytes));
    return res;
  }

  /** What one of them holds, headers and all. */
  const held = (bytes: number) => writeUnread(bytes).writableLength;

  function send(
    limits: Partial<UnreadLimits>,
    answers: readonly (readonly [caller: string, bytes: number])[],
  ) {
    const logged: unknown[] = [];
    const unread = createUnreadBytes({ ...ENDLESS, ...limits }, (_, text, facts) => {
      expect(text).toBe("a client does not read what it is sent; its connection is ended");
      logged.push([facts?.["caller"], facts?.["limit"]]);
    });
    const responses = answers.map(([caller, bytes]) => {
      const res = writeUnread(bytes);
      unread.watch(res.req.socket, shareOf(caller));
      noteWritten(res);
      return res;
    });
    return { logged, ended: responses.map(({ req }) => req.socket.destroyed), responses };
  }

  describe("bytes that are not read", () => {
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each([
      ["one below", 59_999, false],
      ["at", 60_000, true],
      ["one above", 60_001, true],
    ])(
      "end the connection of who takes none of them for as long: %s the limit (limits.unreadMs) (SAFE-5)",
      (_, ms, isEnded) => {
        vi.useFakeTimers();
        const { logged, responses } = send({ unreadMs: 60_000 }, [["ann", MB]]);
        vi.advanceTimersByTime(ms);
        expect(responses.map(({ req }) => req.socket.destroyed)).toEqual([isEnded]);
        expect(logged).toEqual(isEnded ? [["caller:ann", "unreadMs"]] : []);
      },
    );

    it("are logged once a minute for one caller, with the connections that were ended (SAFE-5)", () => {
      vi.useFakeTimers();
      const counts: unknown[] = [];
      const limits = { ...ENDLESS, connectionUnreadBytes: MB };
      const unread = createUnreadBytes(
        limits,
        (_, __, facts) => void counts.push([facts?.["caller"], facts?.["connections"]]),
      );
      const end = (caller: string): void => {
        const res = writeUnread(2 * MB);
        unread.watch(res.req.socket, shareOf(caller));
        expect(mayWriteMore(res)).toBe(false);
      };
      for (const caller of ["ann", "ann", "bob", "ann"]) end(caller);
      vi.advanceTimersByTime(60_000);
      end("ann");
      expect(counts).toEqual([
        ["caller:ann", 1],
        ["caller:bob", 1],
        ["caller:ann", 3],
      ]);
    });

    it.each([
      ["one below", 1, [false, false], []],
      ["at", 0, [false, false], []],
      ["one above", -1, [true, false], [["caller:ann", "callerUnreadBytes"]]],
    ])(
      "of one caller are bounded: %s what it may leave (limits.callerUnreadBytes) (SAFE-5)",
      (_, room, ended, logged) => {
        const callerUnreadBytes = held(2 * MB) + held(MB) + room;
        const sent = send({ callerUnreadBytes }, [
          ["ann", 2 * MB],
          ["ann", MB],
        ]);
        expect(sent).toMatchObject({ ended, logged });
      },
    );

    it("of one caller end no connection of another (SAFE-5)", () => {
      const sent = send({ callerUnreadBytes: 3 * MB }, [
        ["bob", 2 * MB],
        ["ann", 2 * MB],
        ["ann", 2 * MB],
      ]);
      expect(sent.ended).toEqual([false, true, false]);
    });

    it.each([
      ["one below", 1, [false, false, false]],
      ["at", 0, [false, false, false]],
      ["one above", -1, [true, false, false]],
    ])(
      "of all are bounded, and who holds most gives up its largest: %s the limit (limits.unreadBytes) (SAFE-5)",
      (_, room, ended) => {
        const unreadBytes = held(3 * MB) + held(MB) + held(2 * MB) + room;
        const sent = send({ unreadBytes }, [
          ["ann", 3 * MB],
          ["ann", MB],
          ["bob", 2 * MB],
        ]);
        expect(sent.ended).toEqual(ended);
      },
    );

    it.each([
      ["one below", 1, true],
      ["at", 0, true],
      ["one above", -1, false],
    ])(
      "on a stream are bounded: nothing more is sent %s the limit (limits.connectionUnreadBytes) (SAFE-5)",
      (_, room, admitted) => {
        const { responses, logged } = send({ connectionUnreadBytes: held(MB) + room }, [["ann", MB]]);
        const [stream] = responses;
        expect(stream !== undefined && mayWriteMore(stream)).toBe(admitted);
        expect(stream?.req.socket.destroyed).toBe(!admitted);
        expect(logged).toEqual(admitted ? [] : [["caller:ann", "connectionUnreadBytes"]]);
      },
    );
  });
});
