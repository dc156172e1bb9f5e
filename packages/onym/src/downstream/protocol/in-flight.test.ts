import { describe, expect, it } from "vitest";
import type { Ask } from "../downstream.js";
import { createInFlight, unaskedReceiver } from "./in-flight.js";
import { buildOwnAsk } from "./own-requests.js";

const askOf = (id: string): Ask => {
  const own = buildOwnAsk("tools/call", {});
  return { ...own, from: { ...own.from, id } };
};

function start() {
  let now = 0;
  const inFlight = createInFlight({ now: () => now });
  const begin = (id: string) => {
    const ask = askOf(id);
    const ticket = inFlight.add(ask);
    return {
      ask,
      end: () => inFlight.remove(ticket),
      abandon: () => inFlight.abandon(ticket, ask),
    };
  };
  return { inFlight, begin, pass: (ms: number) => (now += ms) };
}

describe("whom a question can be meant for (SAFE-6)", () => {
  it("is the only caller that waits", () => {
    const { inFlight, begin } = start();
    begin("a");
    const { ask } = begin("a");
    expect(inFlight.meant()).toEqual({ kind: "one", ask });
    begin("b");
    expect(inFlight.meant()).toEqual({ kind: "several" });
  });

  it("is nobody when the request was abandoned, also while another caller waits", () => {
    const { inFlight, begin } = start();
    begin("a").abandon();
    expect(inFlight.meant()).toEqual({ kind: "abandoned" });
    const b = begin("b");
    expect(inFlight.meant()).toEqual({ kind: "several" });
    b.end();
    const { ask } = begin("a");
    expect(inFlight.meant()).toEqual({ kind: "one", ask });
  });

  it("forgets an abandoned request that was never answered after ten minutes, and not before", () => {
    const { inFlight, begin, pass } = start();
    begin("a").abandon();
    pass(599_999);
    expect(inFlight.meant().kind).toBe("abandoned");
    pass(1);
    expect(inFlight.meant().kind).toBe("nobody");
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
    expect(inFlight.meant().kind).toBe(kind);
    pass(300_000);
    expect(inFlight.meant().kind).toBe("several");
  });

  it("does not count what Onym asks itself", () => {
    const { inFlight } = start();
    const own = buildOwnAsk("tools/list", {});
    inFlight.abandon(inFlight.add(own), own);
    expect(inFlight.meant()).toEqual({ kind: "nobody", receiver: "anybody" });
  });

  it("is, without a request, only the caller that made all of them", () => {
    const { inFlight, begin } = start();
    expect(unaskedReceiver(inFlight.meant())).toBe("anybody");
    begin("a").end();
    expect(unaskedReceiver(inFlight.meant())).toEqual({ caller: "a" });
    begin("b").end();
    expect(unaskedReceiver(inFlight.meant())).toBe("nobody");
    begin("b").end();
    expect(unaskedReceiver(inFlight.meant())).toBe("nobody");
    begin("a").abandon();
    expect(unaskedReceiver(inFlight.meant())).toBe("nobody");
  });
});
