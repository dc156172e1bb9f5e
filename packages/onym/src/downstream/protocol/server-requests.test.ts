import { describe, expect, it, vi } from "vitest";
import { MAX_ID_LENGTH, type Reply, resultReply } from "../../mcp/message.js";
import type { DownstreamRequest } from "../downstream.js";
import { buildOwnRequest, startDeadline } from "./request.js";
import {
  createInFlight,
  createServerRequests,
  MAX_OPEN_LENGTH,
  MAX_PARAMS_LENGTH,
  unsolicitedReceiver,
} from "./server-requests.js";

const requestOf = (id: string): DownstreamRequest => {
  const own = buildOwnRequest("tools/call", {});
  return { ...own, origin: { ...own.origin, id } };
};

function start() {
  let now = 0;
  const inFlight = createInFlight({ now: () => now });
  const begin = (id: string) => {
    const request = requestOf(id);
    const ticket = inFlight.add(request);
    return {
      request,
      end: () => inFlight.remove(ticket),
      abandon: () => inFlight.abandon(ticket, request),
    };
  };
  return { inFlight, begin, pass: (ms: number) => (now += ms) };
}

describe("requests of a server", () => {
  it("look for a caller only if they are for one (SAFE-4)", async () => {
    const requests = createServerRequests({ limit: 1, onServerRequest: () => new Promise(() => {}) });
    let searches = 0;
    const search = () => {
      searches += 1;
      return { kind: "nobody", receiver: "anybody" } as const;
    };
    const replies: unknown[] = [];
    for (const [id, method] of ["ping", "unknown", "roots/list", "roots/list"].entries())
      requests.answer({ jsonrpc: "2.0", id, method }, search, (reply) => replies.push(reply));
    expect(replies).toMatchObject([
      { kind: "result" },
      { error: { code: -32601 } },
      { error: { message: "Too many server requests at once" } },
    ]);
    expect(searches).toBe(1);
    requests.close();
  });
});

it("measures the params of a request without writing them (SAFE-4)", () => {
  const requests = createServerRequests({ limit: 1, onServerRequest: () => new Promise(() => {}) });
  const params = { messages: [[[["x"]]]] };
  const stringify = vi.spyOn(JSON, "stringify");
  requests.answer(
    { jsonrpc: "2.0", id: 1, method: "sampling/createMessage", params },
    () => ({ kind: "nobody", receiver: "anybody" }),
    () => {},
  );
  const written = stringify.mock.calls.map(([value]) => value);
  stringify.mockRestore();
  expect(written).not.toContain(params);
  requests.close();
});

describe("which caller a server request can be meant for (SAFE-6)", () => {
  it("is the only caller that waits", () => {
    const { inFlight, begin } = start();
    begin("a");
    const { request } = begin("a");
    expect(inFlight.addressee()).toEqual({ kind: "one", request });
    begin("b");
    expect(inFlight.addressee()).toEqual({ kind: "several" });
  });

  it("is nobody when the request was abandoned, also while another caller waits", () => {
    const { inFlight, begin } = start();
    begin("a").abandon();
    expect(inFlight.addressee()).toEqual({ kind: "abandoned" });
    const b = begin("b");
    expect(inFlight.addressee()).toEqual({ kind: "several" });
    b.end();
    const { request } = begin("a");
    expect(inFlight.addressee()).toEqual({ kind: "one", request });
  });

  it("forgets an abandoned request that was never answered after ten minutes, and not before", () => {
    const { inFlight, begin, pass } = start();
    begin("a").abandon();
    pass(599_999);
    expect(inFlight.addressee().kind).toBe("abandoned");
    pass(1);
    expect(inFlight.addressee().kind).toBe("nobody");
  });

  it.each([
    [999, "several"],
    [1_000, "several"],
    [1_001, "several"],
  ])("is nobody after %i abandoned requests of one caller and one of another", (count, kind) => {
    const { inFlight, begin, pass } = start();
    for (let i = 0; i < count; i++) begin("a").abandon();
    pass(300_000);
    begin("b").abandon();
    begin("a");
    expect(inFlight.addressee().kind).toBe(kind);
    pass(300_000);
    expect(inFlight.addressee().kind).toBe("several");
  });

  it("does not count what Onym asks itself", () => {
    const { inFlight } = start();
    const own = buildOwnRequest("tools/list", {});
    inFlight.abandon(inFlight.add(own), own);
    expect(inFlight.addressee()).toEqual({ kind: "nobody", receiver: "anybody" });
  });

  it("is, without a request, only the caller that made all of them", () => {
    const { inFlight, begin } = start();
    expect(unsolicitedReceiver(inFlight.addressee())).toBe("anybody");
    begin("a").end();
    expect(unsolicitedReceiver(inFlight.addressee())).toEqual({ caller: "a" });
    begin("b").end();
    expect(unsolicitedReceiver(inFlight.addressee())).toBe("nobody");
    begin("b").end();
    expect(unsolicitedReceiver(inFlight.addressee())).toBe("nobody");
    begin("a").abandon();
    expect(unsolicitedReceiver(inFlight.addressee())).toBe("nobody");
  });
});

describe("a deadline", () => {
  it("that is further off than a timer reaches does not pass at once", () => {
    vi.useFakeTimers();
    try {
      const expire = vi.fn();
      startDeadline(2 ** 40, expire);
      vi.advanceTimersByTime(60_000);
      expect(expire).not.toHaveBeenCalled();
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("a server request", () => {
  it.each([
    ["one below", -1],
    ["at", 0],
    ["one above", 1],
  ])("is bounded in size: %s (limits: MAX_PARAMS_LENGTH of server-requests) (SAFE-5)", async (_, beyond) => {
    const onServerRequest = vi.fn(async () => resultReply({}));
    const { answer } = createServerRequests({ limit: 1, onServerRequest });
    const params = {
      message: "x".repeat(MAX_PARAMS_LENGTH - JSON.stringify({ message: "" }).length + beyond),
    };
    const reply = await new Promise<Reply>((resolve) => {
      const request = { jsonrpc: "2.0", id: 1, method: "elicitation/create", params } as const;
      answer(request, () => ({ kind: "nobody", receiver: "nobody" }), resolve);
    });
    expect(reply).toMatchObject(beyond > 0 ? { kind: "error", error: { code: -32602 } } : { kind: "result" });
    expect(onServerRequest).toHaveBeenCalledTimes(beyond > 0 ? 0 : 1);
  });

  it.each([
    ["one below", MAX_ID_LENGTH - 1, false],
    ["at", MAX_ID_LENGTH, false],
    ["one above", MAX_ID_LENGTH + 1, true],
  ])(
    "has an id, %s the limit of its characters (limits: MAX_ID_LENGTH of message) (SAFE-5)",
    async (_, length, isRefused) => {
      const { answer } = createServerRequests({ limit: 1, onServerRequest: async () => resultReply({}) });
      for (const method of ["elicitation/create", "ping"]) {
        const reply = await new Promise<Reply>((resolve) => {
          const request = { jsonrpc: "2.0", id: "x".repeat(length), method } as const;
          answer(request, () => ({ kind: "nobody", receiver: "nobody" }), resolve);
        });
        expect(reply).toMatchObject(
          isRefused
            ? { error: { code: -32600, message: 'Invalid Request: "id" has more than 1,024 characters' } }
            : { kind: "result" },
        );
      }
    },
  );

  it.each([
    ["one below", -1],
    ["at", 0],
    ["one above", 1],
  ])(
    "is open beside others, %s the limit of their params (limits: MAX_OPEN_LENGTH of server-requests) (SAFE-5)",
    async (_, beyond) => {
      const answers: ((reply: Reply) => void)[] = [];
      const onServerRequest = () => new Promise<Reply>((resolve) => answers.push(resolve));
      const { answer } = createServerRequests({ limit: 100, onServerRequest });
      const replies: Reply[] = [];
      const ask = (id: number, length: number): void => {
        const params = { message: "x".repeat(length - JSON.stringify({ message: "" }).length) };
        const request = { jsonrpc: "2.0", id, method: "elicitation/create", params } as const;
        answer(
          request,
          () => ({ kind: "nobody", receiver: "nobody" }),
          (reply) => replies.push(reply),
        );
      };
      const part = MAX_OPEN_LENGTH / 8;
      for (let id = 0; id < 7; id += 1) ask(id, part);
      ask(7, part + beyond);
      const tooMuch = { kind: "error", error: { message: expect.stringContaining("open requests") } };
      expect(replies).toMatchObject(beyond > 0 ? [tooMuch] : []);
      // An answer makes room.
      answers[0]?.(resultReply({}));
      await expect.poll(() => replies.length).toBe(beyond > 0 ? 2 : 1);
      ask(8, part);
      expect(answers).toHaveLength(beyond > 0 ? 8 : 9);
    },
  );
});
