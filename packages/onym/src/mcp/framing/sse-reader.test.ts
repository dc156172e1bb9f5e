import { describe, expect, it } from "vitest";
import { createSseReader, LINES_AS_ONE, type SseEvent } from "./sse-reader.js";

function read(chunks: readonly string[], frameBytes = 100) {
  const events: SseEvent[] = [];
  const reader = createSseReader({ frameBytes, onEvent: (event) => events.push(event) });
  let problem: unknown;
  for (const chunk of chunks) problem = reader.push(Buffer.from(chunk));
  return { events, problem, lastEventId: reader.lastEventId(), retryMs: reader.retryMs() };
}

const message = (data: string): SseEvent => ({ event: "message", data });

describe("server-sent events", () => {
  it.each([
    ["LF", "data: a\n\ndata:b\n\n", [message("a"), message("b")]],
    ["CR", "data: a\r\rdata: b\r\r", [message("a"), message("b")]],
    ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [message("a"), message("b")]],
    ["a byte order mark", "\uFEFFdata: a\n\n", [message("a")]],
    ["several lines of data", "data: a\ndata\ndata:  c\n\n", [message("a\n\n c")]],
    ["a name", "event: endpoint\ndata: /m\n\ndata: x\n\n", [{ event: "endpoint", data: "/m" }, message("x")]],
    ["comments and unknown fields", ": hi\nfoo: bar\ndata: a\n\n: bye\n\n", [message("a")]],
    ["data that is empty", "data:\n\nid: 1\n\n", [message("")]],
    ["an end in the middle", "data: a\n\ndata: lost\n", [message("a")]],
  ])("with %s are read, in one chunk or byte by byte", (_, text, events) => {
    expect(read([text]).events).toEqual(events);
    const reader: SseEvent[] = [];
    const each = createSseReader({ frameBytes: 100, onEvent: (event) => reader.push(event) });
    for (const byte of Buffer.from(text)) each.push(Uint8Array.of(byte));
    expect(reader).toEqual(events);
  });

  it("give the id of the last complete event and the time to wait", () => {
    expect(read(["id: 1\nretry: 50\ndata: a\n\nid: 2\nretry: x\ndata: b\n"])).toMatchObject({
      lastEventId: "1",
      retryMs: 50,
    });
    expect(read(["id: 3\n\nid: 4\0\n\n"])).toMatchObject({ lastEventId: "3", events: [] });
  });

  it("are bounded, in one line or in many", () => {
    const problem = { kind: "too-large", limit: 100 };
    expect(read([`data: ${"x".repeat(94)}\n\n`]).problem).toBeUndefined();
    expect(read([`data: ${"x".repeat(95)}\n\n`])).toMatchObject({ problem, events: [] });
    expect(read(["x".repeat(60), "x".repeat(60)]).problem).toEqual(problem);
    expect(read([`data: ${"x".repeat(40)}\n`.repeat(3)]).problem).toEqual(problem);
    expect(read([`data: ${"x".repeat(40)}\n\n`.repeat(3)]).problem).toBeUndefined();
  });

  it.each(["x", "id", "retry: 1", "event: x", "data", "data: x"])(
    "cost as much as comments where %j is a line more than an event needs: one below, at and one above (limits: LINES_AS_ONE of sse-reader) (SAFE-5)",
    (line) => {
      const count = (text: string): number => {
        let empty = 0;
        const onEmpty = (): void => {
          empty += 1;
        };
        createSseReader({ frameBytes: 100_000, onEvent: () => {}, onEmpty }).push(Buffer.from(text));
        return empty;
      };
      const lines = (times: number): string => `${line}\n`.repeat(times);
      // Four are free: event, id, retry and data.
      const costs = [-1, 0, 1, LINES_AS_ONE].map((more) => count(lines(4 + LINES_AS_ONE + more)));
      expect(costs).toEqual([0, 1, 1, 2]);
      expect(count("event: x\nid: 1\nretry: 1\ndata: x\n\n".repeat(10 * LINES_AS_ONE))).toBe(0);
      // Those of several events count together.
      expect(count(`${lines(4)}data: x\n\n`.repeat(LINES_AS_ONE))).toBe(1);
    },
  );

  it("that are large come as bytes, the same as they would as text (SAFE-4)", () => {
    const [few, many] = ["é".repeat(10), "é".repeat(50_000)];
    for (const lines of [
      [many],
      [few, many],
      [many, few, ""],
      [many, many],
      Array.from({ length: 9_000 }, () => few),
    ])
      for (const start of ["", "\uFEFF"]) {
        const text = `${start}event: x\n${lines.map((line) => `data: ${line}\n`).join("")}id: 7\n\ndata: a\n\n`;
        const pieces = text.match(/[\s\S]{1,3000}/g) ?? [];
        const { events, lastEventId } = read(pieces, 1_000_000);
        expect(events.map(({ event, data }) => [event, Buffer.isBuffer(data), String(data)])).toEqual([
          ["x", true, lines.join("\n")],
          ["message", false, "a"],
        ]);
        expect(lastEventId).toBe("7");
      }
    expect(read([`:${many}\nid: ${many}\n`, `data:${many}\n\n`], 1_000_000)).toMatchObject({
      events: [{ event: "message", data: Buffer.from(many) }],
      lastEventId: undefined,
    });
  });
});
