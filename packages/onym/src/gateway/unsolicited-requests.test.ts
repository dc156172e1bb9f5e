import { describe, expect, it } from "vitest";
import type { UnsolicitedReceiver } from "../downstream/downstream.js";
import { resultReply } from "../mcp/message.js";
import { silentLog } from "../model/log.js";
import type { Caller, Session } from "./caller.js";
import { createMemoryDownstream } from "./testing/memory-downstream.js";
import { buildCaller, buildSession } from "./testing/test-callers.js";
import { announceRoots, answerUnsolicited } from "./unsolicited-requests.js";

const channel = { notify: () => {}, sendRequest: async () => resultReply({ roots: [{ uri: "file:///a" }] }) };
const able = (): Session => buildSession({ capabilities: { roots: {}, sampling: {} }, channel });

function ask(
  method: string,
  sessions: readonly Session[],
  modernCallers: readonly Caller[] = [],
  receiver: UnsolicitedReceiver = "anybody",
  reaches = true,
) {
  return answerUnsolicited({
    serverRequest: { method, params: {} },
    signal: new AbortController().signal,
    receiver,
    sessions: new Set(sessions),
    modernCallers: new Set(modernCallers),
    downstream: createMemoryDownstream({}),
    reaches: () => reaches,
    log: silentLog,
  });
}

describe("a server request outside any request", () => {
  it("goes to the one client there is", async () => {
    expect(await ask("roots/list", [able()])).toEqual(resultReply({ roots: [{ uri: "file:///a" }] }));
  });

  it.each(["nobody", { caller: "another" }] as const)(
    "is not put to a client when it may be about the request of another: %j (SAFE-6)",
    async (receiver) => {
      const session = able();
      expect(await ask("sampling/createMessage", [session], [], receiver)).toMatchObject({ kind: "error" });
      expect(await ask("sampling/createMessage", [session], [], { caller: session.id })).toMatchObject({
        kind: "result",
      });
    },
  );

  it.each([
    ["there is none", [], []],
    ["there are two", [able(), able()], []],
    ["it is not ready", [buildSession({ ready: false, channel, capabilities: { roots: {} } })], []],
    ["it cannot answer such", [buildSession({ channel })], []],
    [
      "it only has that by its prototype",
      [buildSession({ channel, capabilities: Object.create({ roots: {} }) })],
      [],
    ],
    ["another has a request under way", [able()], [buildCaller()]],
  ])("is not guessed at where %s", async (_, sessions, modernCallers) => {
    expect(await ask("roots/list", sessions, modernCallers)).toEqual(resultReply({ roots: [] }));
    const capable = sessions.filter((session) => !Object.hasOwn(session.capabilities, "sampling"));
    if (capable.length === sessions.length)
      expect(await ask("sampling/createMessage", sessions, modernCallers)).toMatchObject({
        error: { code: -32601 },
      });
  });

  it("of an unknown kind is refused", async () => {
    for (const method of ["tools/list", "__proto__", "constructor"])
      expect(await ask(method, [able()])).toMatchObject({ error: { code: -32601 } });
  });
});

describe("a server that came up after its client", () => {
  it.each([
    ["asks for the roots again", [able()], ["notifications/roots/list_changed"]],
    ["is told nothing where there are two", [able(), able()], []],
    ["is told nothing of a client without roots", [buildSession({ channel })], []],
    [
      "is told nothing of a client that is not ready",
      [buildSession({ ready: false, channel, capabilities: { roots: {} } })],
      [],
    ],
  ])("%s", (_, sessions, expected) => {
    const received: string[] = [];
    const downstream = {
      ...createMemoryDownstream({}),
      notify: (method: string) => void received.push(method),
    };
    announceRoots(new Set(sessions), [downstream]);
    expect(received).toEqual(expected);
  });
});
